// A variable that is set to nothing is not set, as the programs take it.
#include "knowledge/download_caches.h"

#include <algorithm>

#include "base/strings.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

std::vector<DownloadCache> read_caches() {
  const Table table(table_bytes("data/download_caches.tsv"));
  std::vector<DownloadCache> all;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    DownloadCache cache{.cache = table.cell(row, "cache"),
                        .variable = table.cell(row, "variable"),
                        .below = table.cell(row, "below"),
                        .models = {},
                        .inside = table.cell(row, "inside"),
                        .made = table.cell(row, "made") == "yes"};
    for (const std::string_view folder : split(table.cell(row, "models"), ' ')) {
      if (!folder.empty()) cache.models.push_back(folder == "." ? "" : folder);
    }
    all.push_back(std::move(cache));
  }
  return all;
}

std::string below(std::string folder, std::string_view name) {
  if (!name.empty() && !folder.ends_with('/')) folder += '/';
  return folder += name;
}

}  // namespace

std::span<const DownloadCache> download_caches() {
  static const std::vector<DownloadCache> all = read_caches();
  return all;
}

std::vector<CachePlace> cache_places(const VariableOf& variable) {
  std::vector<CachePlace> places;
  for (const DownloadCache& row : download_caches()) {
    const bool found = std::ranges::any_of(
        places, [&](const CachePlace& place) { return place.row->inside == row.inside; });
    const std::string said = found ? std::string() : variable(row.variable);
    if (!said.empty()) places.push_back({.row = &row, .folder = below(said, row.below)});
  }
  return places;
}

std::vector<std::string> model_folders(std::string_view cache, const VariableOf& variable) {
  std::vector<std::string> folders;
  for (const DownloadCache& row : download_caches()) {
    if (row.cache != cache) continue;
    const std::string said = variable(row.variable);
    if (said.empty()) continue;
    for (const std::string_view models : row.models)
      folders.push_back(below(below(said, row.below), models));
    break;
  }
  return folders;
}

}  // namespace sx
