// Models whose makers say that YaRN stretches their context, and how far
// (data/context_stretch.tsv).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sx {

struct ContextStretch {
  std::int64_t config_positions = 0;  // what the config must say: another number is another model
  std::int64_t native = 0;            // positions it was trained with
  std::int64_t factor = 0;            // the largest
  std::int64_t rope_theta = 0;
};

// By hub id or path: the last part, with the endings of quantised copies ("-AWQ", "-GPTQ-Int4",
// "-FP8", "-GGUF:Q4_K_M", "-Q4_K_M.gguf") left out.
std::optional<ContextStretch> context_stretch(std::string_view model);

}  // namespace sx
