// A launch that runs as an input of `diagnose`: what it wrote, where its processes are, what the
// kernel says.
#pragma once

#include <optional>
#include <vector>

#include "cli/arguments.h"
#include "cli/diagnose_answer.h"
#include "cli/diagnose_bundle.h"
#include "cli/diagnose_run.h"
#include "gather/outside.h"

namespace sx {

struct LiveAnswer {
  std::optional<int> pid;  // the process that was looked at
  std::vector<BesideNote> notes;
};

// Nothing where neither --pid nor --container was given.
Result<LiveAnswer> feed_live(DiagnoseRun& run, LogTails& tails, const Arguments& arguments,
                             const Outside& outside);

}  // namespace sx
