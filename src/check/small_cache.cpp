// What an engine takes is told by its tables; the rules have the last word on the whole launch.
#include "check/small_cache.h"

#include <algorithm>

#include "check/free_memory.h"
#include "knowledge/traits.h"

namespace sx {

std::string_view small_cache_word(const ServeSpec& serve) {
  // Where the tables have no other word the common one is checked against the engine's choices.
  return trait(serve.engine, "kv-fp8-word", serve.version).value_or("fp8");
}

bool may_take_small_cache(const Case& launch) {
  const ServeSpec& serve = launch.serve;
  // Kernels of latent attention differ in what they take; their cache is small anyway.
  if (serve.kv_dtype.asked() || launch.model().is_mla()) return false;
  const auto& quantisation = launch.model().quantisation;
  if (quantisation.known() && quantisation.value().kv_fp8.value_or(false)) return false;
  const auto capability = trait(serve.engine, "kv-fp8-capability", serve.version);
  return capability && cards_have(launch, *capability);
}

bool cards_have(const Case& launch, std::string_view capability) {
  const auto least = parse_version(capability);
  if (!least) return false;
  const auto gpus = gpus_of_launch(launch);
  return !gpus.empty() && std::ranges::all_of(gpus, [&least](const Gpu* gpu) {
    return gpu->capability.known() &&
           gpu->capability.value() >= ComputeCapability{least->major, least->minor};
  });
}

}  // namespace sx
