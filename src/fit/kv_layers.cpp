// Which layers of a model keep what: by the config's list of layer types, the catalogue's words for
// the pattern, or the interval of full attention.
#include <optional>
#include <string>

#include "base/strings.h"
#include "fit/kv.h"
#include "fit/shape.h"

namespace sx {
namespace {

LayerKind kind_of(std::string_view word) {
  const auto has = [word](std::string_view part) {
    return word.find(part) != std::string_view::npos;
  };
  if (has("linear") || has("mamba") || has("recurrent")) return LayerKind::Linear;
  if (has("sliding") || has("local")) return LayerKind::Sliding;
  if (has("chunked")) return LayerKind::Chunked;
  if (has("shared")) return LayerKind::Shared;
  return LayerKind::Full;
}

// One period of the pattern, from its words: "unit=linear/linear/full", "5 sliding : 1 full",
// "alternating: even index sliding / odd full". Empty: nothing that can be read.
std::vector<LayerKind> period_of(std::string_view pattern) {
  std::vector<LayerKind> period;
  if (const std::size_t unit = pattern.find("unit="); unit != std::string_view::npos) {
    for (const std::string_view word : split(pattern.substr(unit + 5), '/'))
      period.push_back(kind_of(word));
    return period;
  }
  if (pattern.find("alternating") != std::string_view::npos)
    return {LayerKind::Sliding, LayerKind::Full};
  const std::size_t blank = pattern.find(' ');
  const auto windows = to_integer(pattern.substr(0, blank));
  if (!windows || *windows < 1 || *windows > 64 ||
      pattern.find("sliding") == std::string_view::npos)
    return {};
  period.assign(static_cast<std::size_t>(*windows), LayerKind::Sliding);
  period.push_back(LayerKind::Full);
  return period;
}

}  // namespace

std::vector<LayerKind> layer_kinds(const ModelSpec& model) {
  return pool_model(model).kinds;  // known where the model is asked for often
}

std::vector<LayerKind> layer_kinds(const ModelSpec& model, const Shape& shape) {
  std::vector<LayerKind> kinds(static_cast<std::size_t>(shape.layers), LayerKind::Full);
  if (model.layer_types.size() == kinds.size()) {
    for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = kind_of(model.layer_types[i]);
    return kinds;
  }
  const std::vector<LayerKind> period = period_of(model.layer_pattern.value_or(""));
  if (!period.empty()) {
    for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = period[i % period.size()];
    return kinds;
  }
  const std::vector<bool> linear = linear_layers(model, shape);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (linear[i]) kinds[i] = LayerKind::Linear;
  }
  return kinds;
}

}  // namespace sx
