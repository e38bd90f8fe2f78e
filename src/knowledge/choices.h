// Choices of a flag that came or went between versions (data/engines/<engine>/choices.tsv). The
// trait "choices-told" says that the table holds the changes of all flags of the engine.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "knowledge/flags.h"

namespace sx {

// What the flag takes in the version, in order; choices that the version may have are among them.
// Nothing where the table does not tell: only the choices of the newest version are known then.
std::optional<std::vector<std::string_view>> choices_in(const EngineFlags& flags,
                                                        const FlagRow& row, const Version& version);

}  // namespace sx
