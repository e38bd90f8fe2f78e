// One row a model; quantised copies keep its context.
#include "knowledge/context_stretch.h"

#include <array>

#include "base/strings.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

std::string_view plain_name(std::string_view model) {
  while (model.ends_with('/')) model.remove_suffix(1);
  model = model.substr(model.rfind('/') + 1);  // npos + 1 is 0
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
