// Four forms of the default have followed one another; data say which one a version has, and with
// which numbers.
#include "engines/sglang/memory_fraction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "knowledge/memory_classes.h"

namespace sx {
namespace {

constexpr double kMib = 1024;  // of a GiB

double number(std::string_view name, const SglangSettings& s) {
  return sglang_number(name, s.version);
}

double ranks_of(const SglangSettings& s) { return static_cast<double>(s.tensor) * s.pipeline; }

bool drafts(const SglangSettings& s) {
  return s.draft == SglangDraft::Layers || s.draft == SglangDraft::Model;
}

// By the number of ranks alone: the more of them, the less is theirs.
double by_ranks(const SglangSettings& s, double ranks) {
  for (const int from : {16, 8, 4, 2}) {
    if (ranks >= from) return number("fraction-by-ranks:" + std::to_string(from), s);
  }
  return number("fraction-by-ranks:1", s);
}

double first_form(const SglangSettings& s) {
  if (s.card_mib <= number("fraction-whole-card", s)) return by_ranks(s, s.tensor);
  return (s.card_mib - number("fraction-large-reserve", s)) / s.card_mib;
}

double second_form(const SglangSettings& s) {
  const double usual = by_ranks(s, ranks_of(s));
  if (s.card_mib > number("fraction-huge-card", s)) return number("fraction-huge", s);
  if (s.card_mib > number("fraction-whole-card", s)) {
    const double reserve =
        number(drafts(s) ? "fraction-large-reserve-draft" : "fraction-large-reserve", s);
    return std::min(usual + number("fraction-large-base", s) * (1 - usual) / s.card_mib,
                    (s.card_mib - reserve) / s.card_mib);
  }
  return drafts(s) ? usual * number("fraction-draft-factor", s) : usual;
}

double draft_reserve(const SglangSettings& s) {
  if (!drafts(s)) return 0;
  return number(s.draft == SglangDraft::Model ? "reserve-draft-model" : "reserve-draft", s);
}

double third_form(const SglangSettings& s) {
  const auto of_card = memory_class("sglang", s.card_mib, s.version);
  if (!of_card || !of_card->reserve_gib) return number("fraction-by-ranks:1", s);
  double reserve = kMib * (*of_card->reserve_gib + of_card->reserve_gib_per_rank * ranks_of(s));
  reserve += draft_reserve(s);
  if (s.attention_data > 1) reserve += number("reserve-attention-data", s);
  return (s.card_mib - reserve) / s.card_mib;
}

double fourth_form(const SglangSettings& s, const Shape& shape) {
  double reserve = number("reserve-base", s) +
                   number("reserve-per-token", s) * static_cast<double>(sglang_step_tokens(s)) +
                   number("reserve-per-rank", s) * ranks_of(s) + sglang_decode_graphs_mib(s) +
                   sglang_prefill_graphs_mib(s, shape);
  const bool prefill_graphs = s.prefill_graph_tokens > 0 && s.role != SglangRole::Decode;
  if (s.deepep && prefill_graphs) reserve += number("reserve-deepep-prefill-graphs", s);
  if (s.card_mib > number("reserve-floor-above", s))
    reserve = std::max(reserve, number("reserve-floor", s));
  if (s.deepep && s.graph_batch > 0) reserve += number("reserve-deepep", s);
  reserve += draft_reserve(s);
  return (s.card_mib - reserve) / s.card_mib;
}

struct Factor {
  double value = 1, low = 1, high = 1;
};

// Models that take pictures leave room for the tower's own work, by its size: as far as the config
// calls the tower's layers and width what the engine looks for. Others count as a usual tower.
Factor vision_factor(const ModelSpec& model, const SglangSettings& s) {
  const double factor = number("vision-factor", s);
  if (!s.with_vision || s.role == SglangRole::Decode || factor == 0) return {};
  const double usual_layers = number("vision-factor-layers", s),
               usual_hidden = number("vision-factor-hidden", s);
  const double layers = model.vision.layers.value_or(static_cast<int>(usual_layers));
  const double hidden = model.vision.hidden_size.value_or(static_cast<int>(usual_hidden));
  const auto of = [&](bool named_layers, bool named_hidden) {
    const double width = named_hidden ? hidden : usual_hidden;
    const double size = (named_layers ? layers : usual_layers) * width * width /
                        (usual_layers * usual_hidden * usual_hidden);
    return factor * std::clamp(1 - number("vision-factor-slope", s) * (size - 1),
                               number("vision-factor-least", s), number("vision-factor-most", s));
  };
  const std::string type = model.model_type.value_or("");
  const bool layers_named = number("vision-layers-unnamed:" + type, s) == 0;
  const bool hidden_named = number("vision-hidden-unnamed:" + type, s) == 0;
  const auto all = {of(true, true), of(true, false), of(false, true), of(false, false)};
  return {.value = of(layers_named, hidden_named), .low = std::min(all), .high = std::max(all)};
}

SglangShare by_default(const Case& c, const SglangSettings& s, const Shape& shape) {
  const int form = static_cast<int>(sglang_constant("fraction-rule", s.version).value);
  double fraction = form == 1   ? first_form(s)
                    : form == 2 ? second_form(s)
                    : form == 3 ? third_form(s)
                                : fourth_form(s, shape);
  constexpr double kWritten = 1000;  // the engine keeps three digits
  fraction = std::clamp(std::round(fraction * kWritten) / kWritten, 0.0, 1.0);
  const Factor factor = vision_factor(c.model(), s);
  return {.fraction = fraction * factor.value,
          .low = fraction * factor.low,
          .high = fraction * factor.high};
}

}  // namespace

std::int64_t sglang_step_tokens(const SglangSettings& s) {
  const auto least = static_cast<std::int64_t>(number("reserve-least-tokens", s));
  std::int64_t tokens = s.chunk > 0 ? s.chunk : s.prompts;
  if (s.role == SglangRole::Decode) {
    const std::int64_t requests =
        s.requests_asked > 0 ? s.requests_asked : std::max<std::int64_t>(1, s.graph_batch);
    tokens = requests * std::max<std::int64_t>(1, s.draft_tokens);
  }
  return std::max(tokens, least);
}

double sglang_decode_graphs_mib(const SglangSettings& s) {
  const auto batch = static_cast<double>(s.graph_batch);
  double sum = number("graphs-per-sequence", s) * batch;
  if (s.attention_data > 1 && s.role != SglangRole::Prefill) {
    sum += number("graphs-attention-data", s) * batch * s.attention_data;
    if (batch > number("graphs-attention-data-large-from", s))
      sum += number("graphs-attention-data-large", s) * batch * s.attention_data;
  }
  return sum;
}

double sglang_prefill_graphs_mib(const SglangSettings& s, const Shape& shape) {
  if (s.prefill_graph_tokens <= 0 || s.role == SglangRole::Decode) return 0;
  if (const double latent = number("prefill-graphs-latent", s); shape.is_mla() && latent > 0)
    return latent;
  if (const double a_size = number("prefill-graphs-per-size", s); a_size > 0)
    return a_size * sglang_prefill_graph_sizes(s.prefill_graph_tokens);
  return number("prefill-graphs-per-token", s) * static_cast<double>(s.prefill_graph_tokens);
}

SglangShare sglang_share(const Case& c, const SglangSettings& s, const Shape& shape) {
  const double asked = c.serve.memory_fraction.value_or(0);
  // A fraction that the engine refuses is taken for the default: the rest can still be judged.
  if (c.serve.memory_fraction.known() && asked > 0 && asked < 1)
    return {
        .fraction = asked, .low = asked, .high = asked, .asked = c.serve.memory_fraction.asked()};
  return by_default(c, s, shape);
}

}  // namespace sx
