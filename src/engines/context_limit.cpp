// Either max_position_embeddings counts as it is written, or the original length times the factor;
// what the command overrides takes the place of what the config says.
#include "engines/context_limit.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "fit/shape.h"
#include "knowledge/traits.h"
#include "read/json.h"

namespace sx {
namespace {

constexpr double kMostTokens = 1e12;  // beyond it a factor is nonsense

struct Positions {
  std::int64_t written = 0;  // max_position_embeddings
  std::int64_t scaled = 0;   // what scaling makes of it where it is applied
  RopeScaling rope;
};

RopeScaling scaling_in(JsonValue object) {
  RopeScaling rope;
  rope.type = object["rope_type"].string().value_or(object["type"].string().value_or(""));
  rope.factor = object["factor"].number();
  rope.original_positions = object["original_max_position_embeddings"].integer();
  return rope;
}

bool is_yarn(const RopeScaling& rope) {
  return rope.type == "yarn" || rope.type == "deepseek_yarn";
}

std::int64_t scaled_by(const RopeScaling& rope, std::int64_t written) {
  static constexpr std::string_view kAsWritten[] = {"",       "default",  "mrope",
                                                    "llama3", "longrope", "su"};
  if (std::ranges::find(kAsWritten, rope.type) != std::end(kAsWritten)) return written;
  const std::int64_t base = is_yarn(rope) ? rope.original_positions.value_or(written) : written;
  const double tokens = static_cast<double>(base) * rope.factor.value_or(1.0);
  return tokens >= 1 && tokens <= kMostTokens ? static_cast<std::int64_t>(tokens) : written;
}

// Puts in what a text of JSON says; false: nothing of positions.
bool override_with(Positions& positions, std::string_view text, bool is_scaling) {
  const auto document = JsonDocument::parse(text);
  if (!document || !document->root().is(JsonKind::Object)) return false;
  const JsonValue root = document->root();
  bool any = false;
  if (const auto length = root["max_position_embeddings"].integer(); length && !is_scaling) {
    positions.written =
        std::clamp<std::int64_t>(*length, 1, static_cast<std::int64_t>(kMostTokens));
    any = true;
  }
  for (const JsonValue part : {is_scaling ? root : root["rope_scaling"], root["rope_parameters"]}) {
    if (!part.is(JsonKind::Object)) continue;
    positions.rope = scaling_in(part);
    any = true;
  }
  if (any) positions.scaled = scaled_by(positions.rope, positions.written);
  return any;
}

std::optional<Positions> positions_of(const ServeSpec& serve, const ModelSpec& model) {
  if (!model.max_positions.known()) return {};
  Positions positions{.scaled = model.max_positions.value().count()};
  positions.written = model.config_positions.value_or(positions.scaled);
  if (model.rope.known()) positions.rope = model.rope.value();
  if (serve.hf_overrides.known()) override_with(positions, serve.hf_overrides.value(), false);
  const FlagUse* scaling = serve.use_of("--rope-scaling");
  if (scaling != nullptr && scaling->values.size() == 1 && scaling->complete)
    override_with(positions, scaling->values.front(), true);
  return positions;
}

}  // namespace

std::int64_t own_context(const ServeSpec& serve, const ModelSpec& model) {
  const auto limit = context_limit(serve, model);
  // Between two versions that differ the shorter one: what fits it is not called too big.
  if (limit && limit->least > 0) return limit->least;
  return static_cast<std::int64_t>(formula_constant("rope-positions-assumed"));
}

std::optional<ContextLimit> context_limit(const ServeSpec& serve, const ModelSpec& model) {
  const auto positions = positions_of(serve, model);
  if (!positions) return {};
  const auto [written, scaled, rope] = *positions;
  if (!is_yarn(rope)) return ContextLimit{scaled, scaled};
  const auto how = trait(serve.engine, "yarn-context", serve.version);
  if (!how) return ContextLimit{std::min(scaled, written), std::max(scaled, written)};
  const bool beside_original =
      *how == "as written beside the original length" && rope.original_positions.has_value();
  if (*how == "as written" || beside_original) return ContextLimit{written, written};
  return ContextLimit{scaled, scaled};
}

}  // namespace sx
