// What of an engine's behaviour differs by version and is no flag, variable or default
// (data/engines/<engine>/traits.tsv).
#pragma once

#include <optional>
#include <string_view>

#include "base/version.h"

namespace sx {

// The value of the row of that name that holds for the version; nothing when none does, which also
// means "not known". Names with a flag in them: "above --x", "at least --x", "at most --x" bound
// its number; "successor --x value" is what took the place of that value of a removed flag.
std::optional<std::string_view> trait(std::string_view engine, std::string_view name,
                                      const Version& version);

}  // namespace sx
