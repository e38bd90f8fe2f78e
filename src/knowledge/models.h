// The built-in catalogue of models (data/models.tsv): the config fields that matter for splitting and memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sx {

// Cells as they stand; read through `integer`, `number`, `text`, which give nothing for unknown and for "there is none".
class ModelRow {
 public:
  ModelRow() = default;
  explicit ModelRow(std::size_t row) : row_(row) {}
  std::string_view id() const;
  std::optional<std::int64_t> integer(std::string_view column) const;
  std::optional<double> number(std::string_view column) const;
  std::optional<std::string_view> text(std::string_view column) const;
  bool has_none(std::string_view column) const;  // the table says "-" or "none"

 private:
  std::size_t row_ = 0;
};

// By hub id: exact, else ignoring case, else by a documented alias of the same shape ("meta-llama/Llama-3.1-8B-Instruct").
struct ModelMatch {
  std::optional<ModelRow> row;
  std::string_view same_shape_as;  // not empty when an alias of the same shape was taken
  std::vector<std::string> closest_ids;
};
ModelMatch match_model(std::string_view id);

std::vector<std::string_view> model_ids();

// Catalogue ids of the same family in other number formats (AWQ, GPTQ-Int4, FP8 …) by name and equal layer and head counts.
std::vector<std::string_view> quantised_siblings(std::string_view id);

}  // namespace sx
