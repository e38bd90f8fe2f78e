// File types by number and by name.
#include "knowledge/gguf_file_types.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

const std::vector<GgufFileType>& file_types() {
  static const std::vector<GgufFileType> all = [] {
    const Table table(table_bytes("data/gguf_file_types.tsv"));
    std::vector<GgufFileType> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto id = integer_cell(table.cell(row, "id"));
      if (!id || *id < 0 || *id > 100'000) continue;
      rows.push_back({.id = static_cast<int>(*id),
                      .name = table.cell(row, "name"),
                      .bits = number_cell(table.cell(row, "bits"))});
    }
    return rows;
  }();
  return all;
}

}  // namespace

const GgufFileType* find_gguf_file_type(int id) {
  const auto found = std::ranges::find(file_types(), id, &GgufFileType::id);
  return found == file_types().end() ? nullptr : &*found;
}

const GgufFileType* find_gguf_file_type(std::string_view name) {
  const std::string wanted = lower(name);
  for (const GgufFileType& type : file_types()) {
    const std::string known = lower(type.name);
    if (wanted == known || wanted.ends_with('-' + known) || wanted.ends_with('.' + known))
      return &type;
  }
  return nullptr;
}

}  // namespace sx
