// What model classes assume when their config is silent, and what no field of it tells
// (data/model_classes.tsv).
#pragma once

#include <optional>
#include <string_view>

namespace sx {

// By model_type and field, named as configs name it; "mlp_over_hidden" is how many times the hidden
// size the MLP is wide, "context_is_scaled" that the positions have the RoPE factor in them,
// "wide_layers_every" that each such layer has heads of "wide_head_dim"; "vision_…" is about the
// tower for pictures. Empty: not known.
std::optional<bool> class_truth(std::string_view model_type, std::string_view field);
std::optional<int> class_count(std::string_view model_type, std::string_view field);

}  // namespace sx
