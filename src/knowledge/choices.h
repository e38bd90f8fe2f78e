// Choices of a flag that came or went between versions (data/engines/<engine>/choices.tsv). An
// engine with that table has told all of its choices.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "knowledge/flags.h"

namespace sx {

// What the flag takes in the version, in order; choices that the version may have are among them.
// Nothing for an engine without the table: only the choices of its newest version are known.
std::optional<std::vector<std::string_view>> choices_in(const EngineFlags& flags,
                                                        const FlagRow& row, const Version& version);

}  // namespace sx
