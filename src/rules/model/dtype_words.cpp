// --dtype, the config's type and the card → one type. As vLLM has it: config/model.py,
// _get_and_verify_dtype.
#include "rules/model/dtype_words.h"

#include "base/strings.h"
#include "knowledge/traits.h"
#include "rules/model/surroundings.h"

namespace sx::rules {

std::string asked_dtype(const ServeSpec& serve) {
  const std::string asked = lower(serve.dtype.value_or("auto"));
  if (asked == "half" || asked == "float16") return "float16";
  if (asked == "float" || asked == "float32") return "float32";
  return asked == "bfloat16" ? asked : "";
}

bool refuses_float16(const Case& c) {
  const Fact<std::string>& type = c.model().model_type;
  return type.known() &&
         trait(c.serve.engine, "no-float16 " + type.value(), c.serve.version) == "refused";
}

std::optional<ComputeCapability> bfloat16_capability(const ServeSpec& serve) {
  const auto cell = trait(serve.engine, "bf16-capability", serve.version);
  const auto least = cell ? parse_version(*cell) : std::nullopt;
  if (!least) return {};
  return ComputeCapability{least->major, least->minor};
}

std::optional<std::string> dtype_in_force(const Case& c) {
  if (const std::string asked = asked_dtype(c.serve); !asked.empty()) return asked;
  const bool unclear = !c.serve.dtype.known() && !c.serve.dtype.why_unknown().empty();
  const Gpu* gpu = weakest_gpu(c);
  const auto least = bfloat16_capability(c.serve);
  if (unclear || !c.model().dtype.known() || overridden(c.serve, "dtype") ||
      overridden(c.serve, "torch_dtype"))
    return {};
  const std::string config = c.model().dtype.value();
  const auto below = trait(c.serve.engine, "bf16-checkpoint-below-8.0", c.serve.version);
  if (config == "float16") return config;
  if (!below || gpu == nullptr || !least) return {};
  const bool old_card = gpu->capability.value() < *least;
  if (*below == "refused")
    return config == "float32" ? "float16" : config;  // what the config says, whatever the card
  const std::string fallback = refuses_float16(c) ? "float32" : "float16";
  if (config == "float32" || config == "bfloat16") return old_card ? fallback : "bfloat16";
  return {};
}

}  // namespace sx::rules
