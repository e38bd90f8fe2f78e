// A mask that says what was meant.
#include "rules/command/gpu_lists.h"

#include <algorithm>

#include "base/strings.h"
#include "knowledge/other_engines.h"
#include "knowledge/traits.h"

namespace sx::rules {

std::vector<int> filled_up(std::vector<int> some, std::size_t count, const HostSpec& host) {
  const bool in_order = std::ranges::is_sorted(some);
  for (int gpu = 0; gpu < host.gpu_count.value_or(0) && some.size() < count; ++gpu) {
    if (std::ranges::find(some, gpu) == some.end()) some.push_back(gpu);
  }
  if (some.size() > count) some.resize(count);
  if (in_order) std::ranges::sort(some);
  return some;
}

std::size_t gpus_needed(const Case& c) {
  const auto wanted = c.serve.gpus_wanted();
  return wanted ? static_cast<std::size_t>(std::max(*wanted, 1))
                : std::max<std::size_t>(c.visible.entries.size(), 1);
}

Change set_mask(const std::vector<int>& gpus) {
  return set_environment(std::string(kMask), join(gpus, ","));
}

bool starts_without_gpu(const ServeSpec& serve) {
  if (const OtherEngine* other = find_other_engine(serve.engine)) return other->starts_without_gpu;
  return trait(serve.engine, "no-gpu-at-start", serve.version) == "starts";
}

}  // namespace sx::rules
