// Rows from `since` to `until`, the last version read that is so; those of transformers hold for
// all.
#include "knowledge/config_types.h"

#include <optional>
#include <unordered_map>

#include "knowledge/cells.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

struct ConfigType {
  std::optional<Version> since, until;
};
using ConfigTypes = std::unordered_map<std::string_view, ConfigType>;

ConfigTypes read_types(std::string_view, const Table& table) {
  ConfigTypes types;
  types.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    types.try_emplace(table.cell(row, "model_type"),
                      ConfigType{.since = version_cell(table.cell(row, "since")),
                                 .until = version_cell(table.cell(row, "until"))});
  }
  return types;
}

const ConfigType* find_type(std::string_view engine, std::string_view model_type) {
  const auto* types = engine_table<read_types>(engine, "config_types.tsv");
  if (types == nullptr) return nullptr;
  const auto found = types->find(model_type);
  return found == types->end() ? nullptr : &found->second;
}

}  // namespace

bool config_type_known(std::string_view engine, std::string_view model_type,
                       const Version& version) {
  const ConfigType* type = find_type(engine, model_type);
  return type != nullptr && in_force(*type, version);
}

bool config_type_known_to_any(std::string_view engine, std::string_view model_type) {
  return find_type(engine, model_type) != nullptr;
}

}  // namespace sx
