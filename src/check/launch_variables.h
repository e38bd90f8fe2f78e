// Environment variables as the launch will see them: its own first, then the machine's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "facts/case.h"

namespace sx {

struct LaunchVariable {
  std::string_view name;  // as it was asked for: a finding keeps it, so it must outlive the rule
  std::string value;
  std::optional<Span> span;  // in the command; empty: set on the machine
};

// The value in force; nothing when it is not set, or set to something that cannot be known here. A
// container sees only its own.
std::optional<LaunchVariable> launch_variable(const Case& c, std::string_view name);

}  // namespace sx
