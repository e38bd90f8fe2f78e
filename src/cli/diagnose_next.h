// What to say of a run whose logs name no cause: where it stood, what normally comes next, what to
// collect to know more.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/both.h"
#include "facts/case.h"
#include "logs/run_log.h"

namespace sx {

struct NextSteps {
  struct Item {
    Both what;
    std::string command;
  };
  Both here, next;
  std::vector<Item> collect;
  std::string again;  // the launch itself with more words; empty: its command is not known
};

// Nothing where the text need not be a log: neither the engine nor its command is known, and no
// line says that an engine failed. `launch` may be null; `pid` is the process that was looked at.
std::optional<NextSteps> next_steps(const RunLog& run, const Case* launch, std::optional<int> pid);

}  // namespace sx
