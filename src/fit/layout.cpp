// Names of layouts, and how many layers each stage of a pipeline holds.
#include "fit/layout.h"

#include <cstddef>

namespace sx {

std::string Layout::label() const {
  std::string text = "TP" + std::to_string(tensor);
  const auto add = [&text](const char* name, int size) {
    if (size != 1) text += std::string(" x ") + name + std::to_string(size);
  };
  add("PP", pipeline);
  add("PCP", prefill_context);
  add("DP", data);
  if (expert) text += " + EP";
  return text;
}

std::vector<int> stage_layers(int layers, int stages, StageRule rule) {
  if (stages < 1) return {};
  std::vector<int> counts(static_cast<std::size_t>(stages), layers / stages);
  const int rest = layers % stages;
  if (rule == StageRule::RestToLast) {
    counts.back() += rest;
    return counts;
  }
  // The rest is smaller than the number of stages, so one layer each never reaches past the first
  // stage.
  for (int i = 0; i < rest; ++i) ++counts[static_cast<std::size_t>(stages - 2 - i)];
  return counts;
}

}  // namespace sx
