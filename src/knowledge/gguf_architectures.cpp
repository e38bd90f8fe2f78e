// One set of names an engine.
#include "knowledge/gguf_architectures.h"

#include <set>

#include "knowledge/per_engine.h"

namespace sx {
namespace {

using Names = std::set<std::string_view>;

Names read_names(std::string_view, const Table& table) {
  Names names;
  for (std::size_t row = 0; row < table.rows(); ++row) names.insert(table.cell(row, "name"));
  return names;
}

}  // namespace

std::optional<bool> knows_gguf_architecture(std::string_view engine, std::string_view name) {
  const auto* names = engine_table<read_names>(engine, "architectures.tsv");
  if (names == nullptr) return {};
  return names->contains(name);
}

}  // namespace sx
