// Either max_position_embeddings counts as it is written, or the original length times the factor.
#include "engines/context_limit.h"

#include <algorithm>

#include "fit/shape.h"
#include "knowledge/traits.h"

namespace sx {
namespace {

bool is_yarn(const RopeScaling& rope) {
  return rope.type == "yarn" || rope.type == "deepseek_yarn";
}

}  // namespace

std::int64_t own_context(const ServeSpec& serve, const ModelSpec& model) {
  const auto limit = context_limit(serve, model);
  // Between two versions that differ the shorter one: what fits it is not called too big.
  if (limit && limit->least > 0) return limit->least;
  return static_cast<std::int64_t>(formula_constant("rope-positions-assumed"));
}

std::optional<ContextLimit> context_limit(const ServeSpec& serve, const ModelSpec& model) {
  if (!model.max_positions.known()) return {};
  const std::int64_t scaled = model.max_positions.value().count();
  const bool yarn = model.rope.known() && is_yarn(model.rope.value());
  if (!yarn || !model.config_positions.known()) return ContextLimit{scaled, scaled};
  const std::int64_t written = model.config_positions.value();
  const auto how = trait(serve.engine, "yarn-context", serve.version);
  if (!how) return ContextLimit{std::min(scaled, written), std::max(scaled, written)};
  const bool beside_original = *how == "as written beside the original length" &&
                               model.rope.value().original_positions.has_value();
  if (*how == "as written" || beside_original) return ContextLimit{written, written};
  return ContextLimit{scaled, scaled};
}

}  // namespace sx
