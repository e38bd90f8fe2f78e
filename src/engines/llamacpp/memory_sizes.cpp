// Formulas found by comparing 28 start-ups with the engine's own lines; numbers stand in
// data/engines/llamacpp/memory.tsv.
#include "engines/llamacpp/memory_sizes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fit/kv.h"

namespace sx {
namespace {

double real(std::int64_t number) { return static_cast<double>(number); }

double up_to(double number, double step) { return std::ceil(number / step) * step; }

// Cells of one stream that a window keeps: what it sees, and what a step brings.
double window_cells(const ModelSpec& model, const LlamaSettings& s) {
  const double window = real(std::max<std::int64_t>(
      0, model.sliding_window.known() ? model.sliding_window.value().count() : 0));
  if (window == 0) return 0;
  if (s.whole_windows) return real(s.cells);
  const double sequences = s.unified ? s.slots : 1;
  const double step = llama_constant("context-rounding", s.version).value;
  return up_to(std::min(real(s.cells), window * sequences + real(s.physical_batch)), step);
}

double kv_heads_of(const ModelSpec& model, const Shape& shape, std::size_t layer) {
  if (layer < model.kv_heads_by_layer.size()) return real(model.kv_heads_by_layer[layer]);
  return real(shape.kv_heads);
}

// Bytes of one token in one layer.
double cell_of(const ModelSpec& model, const Shape& shape, const LlamaSettings& s,
               std::size_t layer) {
  if (shape.is_mla()) return real(shape.kv_lora + shape.qk_rope) * s.key_bytes;  // values are in it
  const WideLayers wide = wide_layers(shape);
  const bool is_wide = wide.has(static_cast<std::int64_t>(layer));
  const double heads = is_wide ? real(wide.kv_heads) : kv_heads_of(model, shape, layer);
  const double key = real(is_wide ? wide.head_dim : shape.head_dim);
  const double value =
      !is_wide && model.value_dim.known() ? real(std::max(0, model.value_dim.value())) : key;
  return heads * (key * s.key_bytes + value * s.value_bytes);
}

// One slot's state of a layer that keeps no tokens, in 32 bit.
double state_of(const ModelSpec& model, const Shape& shape) {
  constexpr double kValue = 4;
  const double taps = model.ssm_conv.value_or(0), inner = model.ssm_inner.value_or(0),
               state = model.ssm_state.value_or(0), groups = model.ssm_groups.value_or(0);
  if (inner > 0 && state > 0) {
    return kValue * (std::max(0.0, taps - 1) * (inner + 2 * groups * state) + state * inner);
  }
  return shape.is_hybrid() ? static_cast<double>(linear_state_bytes(model, 1).count()) : 0;
}

// Values of a token that live at once in a layer's step.
double live_values(const Shape& shape, const LlamaSettings& s) {
  const auto number = [&s](std::string_view name) { return llama_constant(name, s.version).value; };
  const double hidden = real(shape.hidden);
  const double base = number("step-per-hidden") * hidden;
  const double used = real(shape.experts_per_token);
  const double mlp =
      shape.experts > 0 ? number("step-per-width") * used * real(shape.expert_width) + used * hidden
                        : number("step-per-width") * real(shape.width);
  return std::max(base + mlp, number("step-least-hidden") * hidden);
}

}  // namespace

Bytes LlamaCache::whole() const {
  return whole_bytes(std::accumulate(layers.begin(), layers.end(), 0.0));
}

LlamaCache llama_cache(const ModelSpec& model, const Shape& shape, const LlamaSettings& s) {
  LlamaCache cache;
  const std::vector<LayerKind> kinds = layer_kinds(model);
  const double windowed = window_cells(model, s);
  for (std::size_t layer = 0; layer < kinds.size(); ++layer) {
    double bytes = 0, per_token = 0;
    const LayerKind kind = kinds[layer];
    if (kind == LayerKind::Linear) {
      bytes = state_of(model, shape) * s.slots;
    } else if (kind != LayerKind::Shared) {
      const double cell = cell_of(model, shape, s, layer);
      const bool window =
          windowed > 0 && (kind == LayerKind::Sliding || kind == LayerKind::Chunked);
      cache.windows = cache.windows || window;
      bytes = cell * (window ? windowed : real(s.cells)) * real(s.streams);
      if (!window || s.whole_windows) per_token = cell;
    }
    cache.states.push_back(kind == LayerKind::Linear ? bytes : 0);
    cache.layers.push_back(bytes);
    cache.per_token.push_back(per_token);
  }
  if (cache.windows) cache.window_cells = static_cast<std::int64_t>(windowed);
  return cache;
}

LlamaStep llama_step(const ModelSpec& model, const Shape& shape, const LlamaSettings& s,
                     int copies) {
  const double batch = real(s.physical_batch), cells = real(s.cells);
  const Constant value = llama_constant("step-value-bytes", s.version);
  if (!s.flash) {
    const double per_head = llama_constant("step-exact-per-head", s.version).value;
    const double query = llama_constant("step-exact-query", s.version).value;
    const double scores = cells * (1 + per_head * real(shape.heads));
    const double values = query * real(shape.heads) * real(shape.head_dim) +
                          2 * real(shape.kv_heads) * real(shape.head_dim);
    const double inputs = batch * value.value * cells * (copies - 1);
    const Bytes bytes = whole_bytes(batch * value.value * (scores + values) + inputs);
    return {.bytes = bytes, .low = bytes, .high = bytes + bytes / 4, .inputs = whole_bytes(inputs)};
  }
  const LlamaCache cache = llama_cache(model, shape, s);
  const double seen = cells + (cache.windows ? real(cache.window_cells) : 0);
  const Constant mask = llama_constant("mask-bytes", s.version);
  const double values = batch * value.value * live_values(shape, s);
  const auto sum = [&](double mask_bytes) {
    return whole_bytes(values + batch * mask_bytes * seen * copies);
  };
  return {.bytes = sum(mask.value),
          .low = sum(mask.low),
          .high = sum(mask.high),
          .inputs = whole_bytes(batch * mask.value * seen)};
}

Bytes llama_output(const Shape& shape, const LlamaSettings& s) {
  return whole_bytes(llama_constant("output-bytes", s.version).value * real(s.slots) *
                     real(shape.vocabulary));
}

}  // namespace sx
