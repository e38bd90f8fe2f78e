// One row a path.
#include "knowledge/gateway_paths.h"

#include <algorithm>
#include <vector>

#include "knowledge/cells.h"

namespace sx {
namespace {

std::vector<GatewayPath> read_paths() {
  const Table table(table_bytes("data/gateway_paths.tsv"));
  std::vector<GatewayPath> all;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string_view surface = table.cell(i, "surface");
    const std::string_view operation = table.cell(i, "operation");
    all.push_back({.path = table.cell(i, "path"),
                   .relayed = table.cell(i, "serves") == "relay",
                   .surface = surface == "anthropic"   ? Surface::Anthropic
                              : surface == "responses" ? Surface::Responses
                                                       : Surface::OpenAi,
                   .again = table.cell(i, "again") == "yes",
                   .operation = operation == "-" ? std::string_view() : operation});
  }
  std::ranges::sort(all, {}, &GatewayPath::path);
  return all;
}

}  // namespace

const GatewayPath* gateway_path(std::string_view path) {
  static const std::vector<GatewayPath> all = read_paths();
  const auto found = std::ranges::lower_bound(all, path, {}, &GatewayPath::path);
  return found == all.end() || found->path != path ? nullptr : &*found;
}

}  // namespace sx
