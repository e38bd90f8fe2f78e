// What of vLLM's command line differs by version and is no flag of its own
// (data/engines/vllm/command_line.tsv).
#pragma once

#include <optional>
#include <string_view>

#include "base/version.h"

namespace sx::vllm {

// The value of the row of that name that holds for the version; nothing when none does. An empty
// value is a yes.
std::optional<std::string_view> habit(std::string_view name, const Version& version);

// Whether a row of that name and value holds: holds("switch-value", "--enable-chunked-prefill",
// version).
bool holds(std::string_view name, std::string_view value, const Version& version);

}  // namespace sx::vllm
