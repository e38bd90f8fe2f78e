// What of vLLM's command line differs by version and is no flag of its own
// (data/engines/vllm/command_line.tsv), and what other engines' spellings mean here
// (foreign_flags.tsv).
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

struct ForeignFlag {
  std::string_view typed;
  std::string_view name;  // the flag here, perhaps "--no-x"; empty: there is none
};
const ForeignFlag* foreign_flag(std::string_view typed);

}  // namespace sx::vllm
