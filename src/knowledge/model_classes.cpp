// Rows by field; a model_type that ends with '*' stands for all that begin so.
#include "knowledge/model_classes.h"

#include <array>
#include <vector>

#include "knowledge/by_name.h"
#include "knowledge/cells.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

struct ClassRow {
  std::string_view model_type;
  std::string_view value;
};
using ClassFields = ByName<std::vector<ClassRow>>;

ClassFields read_fields() {
  const Table table(table_bytes("data/model_classes.tsv"));
  constexpr std::array<std::string_view, 3> kColumns{"field", "model_type", "value"};
  const RowReader<kColumns.size()> reader(table, kColumns);
  ClassFields fields;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto [field, model_type, value] = reader.row(row);
    fields.of(field).push_back({.model_type = model_type, .value = value});
  }
  return fields;
}

bool stands_for(std::string_view pattern, std::string_view model_type) {
  if (!pattern.ends_with('*')) return pattern == model_type;
  return model_type.starts_with(pattern.substr(0, pattern.size() - 1));
}

// Empty: no row.
std::string_view value_of(std::string_view model_type, std::string_view field) {
  static const ClassFields all = read_fields();
  const auto* found = all.find(field);
  if (found == nullptr) return {};
  for (const ClassRow& row : *found) {
    if (stands_for(row.model_type, model_type)) return row.value;
  }
  return {};
}

}  // namespace

std::optional<bool> class_truth(std::string_view model_type, std::string_view field) {
  return yes_or_no_cell(value_of(model_type, field));
}

std::optional<int> class_count(std::string_view model_type, std::string_view field) {
  const auto value = integer_cell(value_of(model_type, field));
  constexpr std::int64_t kMost = 100'000'000;  // a replaced table may say anything
  if (!value || *value < 1 || *value > kMost) return {};
  return static_cast<int>(*value);
}

}  // namespace sx
