// What of an engine's command line differs by engine or version and is no flag of its own
// (data/engines/<engine>/command_line.tsv).
#pragma once

#include <optional>
#include <string_view>

#include "base/version.h"

namespace sx::argparse {

// The value of the row of that name that holds for the version; nothing when none does. An empty
// value is a yes.
std::optional<std::string_view> habit(std::string_view engine, std::string_view name,
                                      const Version& version);

// Whether a row of that name and value holds: holds("vllm", "switch-value",
// "--enable-chunked-prefill", version).
bool holds(std::string_view engine, std::string_view name, std::string_view value,
           const Version& version);

}  // namespace sx::argparse
