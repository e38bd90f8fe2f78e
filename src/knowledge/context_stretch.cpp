// One row a model; quantised copies keep its context.
#include "knowledge/context_stretch.h"

#include <array>

#include "base/strings.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

// "Q4_K_M", "IQ4_XS", "BF16", "UD": what names of GGUF files end with.
bool is_gguf_type(std::string_view part) {
  const std::string word = lower(part);
  if (word == "ud" || word == "f16" || word == "f32" || word == "bf16" || word == "mxfp4")
    return true;
  const std::string_view rest = std::string_view(word).substr(word.starts_with('i') ? 1 : 0);
  return rest.size() > 1 && rest[0] == 'q' && rest[1] >= '1' && rest[1] <= '8';
}

// "Qwen3-8B" of "Qwen3-8B-Q4_K_M-00001-of-00002.gguf" and of "Qwen3-8B-GGUF:Q4_K_M".
std::string_view without_gguf(std::string_view name) {
  name = name.substr(0, name.find(':'));
  if (lower(name).ends_with("-gguf")) return name.substr(0, name.size() - 5);
  if (!lower(name).ends_with(".gguf")) return name;
  name.remove_suffix(5);
  constexpr std::size_t kPart = std::string_view("-00001-of-00002").size();
  if (name.size() > kPart && name.substr(name.size() - 9, 4) == "-of-") name.remove_suffix(kPart);
  for (int parts = 0; parts < 2; ++parts) {
    const auto dash = name.rfind('-');
    if (dash == std::string_view::npos || !is_gguf_type(name.substr(dash + 1))) break;
    name = name.substr(0, dash);
  }
  return name;
}

std::string_view plain_name(std::string_view model) {
  while (model.ends_with('/')) model.remove_suffix(1);
  model = without_gguf(model.substr(model.rfind('/') + 1));  // npos + 1 is 0
  static constexpr std::array<std::string_view, 5> kEndings{"-AWQ", "-GPTQ-Int4", "-GPTQ-Int8",
                                                            "-FP8", "-NVFP4"};
  for (const std::string_view ending : kEndings) {
    if (model.size() > ending.size() && lower(model).ends_with(lower(ending))) {
      return model.substr(0, model.size() - ending.size());
    }
  }
  return model;
}

}  // namespace

std::optional<ContextStretch> context_stretch(std::string_view model) {
  const std::string wanted = lower(plain_name(model));
  const Table table(table_bytes("data/context_stretch.tsv"));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (lower(table.cell(row, "model")) != wanted) continue;
    const auto number = [&](std::string_view column) {
      return integer_cell(table.cell(row, column)).value_or(0);
    };
    return ContextStretch{.config_positions = number("config_positions"),
                          .native = number("native"),
                          .factor = number("factor"),
                          .rope_theta = number("rope_theta")};
  }
  return {};
}

}  // namespace sx
