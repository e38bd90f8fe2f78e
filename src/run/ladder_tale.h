// What climbing the ladder has shown so far, and what a rung's failure means beside what the rungs
// before it proved.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/both.h"
#include "run/supervisor.h"

namespace sx {

struct RungResult {
  std::string label, model, proves;
  std::size_t gpus = 0;  // of a replica
  bool good = false;
  std::string cause;  // of a bad one
  bool hung = false;  // it stood still
};

class LadderTale {
 public:
  void add(const DeployedLayout& layout, const LayoutProven& proven);
  const std::vector<RungResult>& results() const { return results_; }

 private:
  std::vector<RungResult> results_;  // in the order in which they were tried
};

// "TP2 works, TP4 hangs: it is the links between its GPUs", of the model that failed last. Empty
// while nothing has failed, or where the failure says nothing more than its own cause.
std::optional<Both> ladder_verdict(const std::vector<RungResult>& results);

}  // namespace sx
