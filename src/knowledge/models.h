// The built-in catalogue of models (data/models.tsv): the config fields that matter for splitting
// and memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sx {

// Cells as they stand; read through `integer`, `number`, `text`, which give nothing for unknown and
// for "there is none".
class ModelRow {
 public:
  ModelRow() = default;
  // `but`: "column=value,…" where an alias of the same shape differs from the row.
  explicit ModelRow(std::size_t row, std::string_view but = {}) : row_(row), but_(but) {}
  std::string_view id() const;
  std::optional<std::int64_t> integer(std::string_view column) const;
  std::optional<double> number(std::string_view column) const;
  std::optional<std::string_view> text(std::string_view column) const;
  bool has_none(std::string_view column) const;  // the table says "-" or "none"

 private:
  std::string_view cell(std::string_view column) const;

  std::size_t row_ = 0;
  std::string_view but_;
};

// By hub id: exact, else ignoring case, else by a documented alias of the same shape
// ("meta-llama/Llama-3.1-8B-Instruct"), else by the last part of one id alone
// ("Qwen2.5-72B-Instruct").
struct ModelMatch {
  std::optional<ModelRow> row;
  std::string_view
      same_shape_as;  // the row's id when an alias or a last part was taken, else empty
  std::vector<std::string> closest_ids;
};
ModelMatch match_model(std::string_view id);

std::vector<std::string_view> model_ids();

// Catalogue ids of the same family in other number formats (AWQ, GPTQ-Int4, FP8 …) by name and
// equal layer and head counts.
std::vector<std::string_view> quantised_siblings(std::string_view id);

}  // namespace sx
