// Everything one run of the rules has to say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"

namespace sx {

// A rule that could not speak because facts were unknown.
struct NotChecked {
  std::string_view code;
  std::string_view name;
  std::vector<std::string_view> missing;  // names of needs: "host.links"
  Message reason;  // why the first of them is unknown: "no NVML library was found"
};

// A rule that waits because an error made its facts doubtful.
struct HeldBack {
  std::string_view code;
  std::string_view until;
};

// A finding that the user said is known and wanted.
struct Allowed {
  Diagnostic diagnostic;
  std::string because;  // the user's own words
};

struct Outcome {
  std::vector<Diagnostic> diagnostics;  // in the order they are to be read
  std::vector<NotChecked> not_checked;
  std::vector<HeldBack> held_back;
  std::vector<Allowed> allowed;
  std::vector<std::string> unused_allowances;  // codes that were allowed and are not said any more
  int checked = 0;                             // rules that ran
  Fix combined;  // the first fix of each finding together; empty command: there is none or only one
};

}  // namespace sx
