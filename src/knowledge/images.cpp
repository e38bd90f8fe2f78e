// A row fits when the repository's path ends with its name; the longest name wins.
#include "knowledge/images.h"

#include <algorithm>

#include "base/strings.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

struct ImageRow {
  std::string_view name, tag, engine, versions, user;
  std::vector<std::string_view> entrypoint;
  std::vector<std::pair<std::string_view, std::string_view>> environment;
  std::optional<Version> since, until;
};

std::vector<std::string_view> words_of(std::string_view cell) {
  std::vector<std::string_view> words;
  if (is_none(cell)) return words;
  for (const auto word : split(cell, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

std::vector<ImageRow> read_images() {
  const Table table(table_bytes("data/images.tsv"));
  std::vector<ImageRow> rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    ImageRow image{.name = table.cell(row, "name"),
                   .tag = table.cell(row, "tag"),
                   .engine = table.cell(row, "engine"),
                   .versions = table.cell(row, "versions"),
                   .user = known_cell(table.cell(row, "user")),
                   .entrypoint = words_of(table.cell(row, "entrypoint")),
                   .since = version_cell(table.cell(row, "since")),
                   .until = version_cell(table.cell(row, "until"))};
    for (const auto pair : words_of(table.cell(row, "environment"))) {
      const auto equals = pair.find('=');
      if (equals != std::string_view::npos)
        image.environment.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    }
    rows.push_back(std::move(image));
  }
  return rows;
}

bool ends_with_path(std::string_view repository, std::string_view name) {
  if (!repository.ends_with(name)) return false;
  return repository.size() == name.size() || repository[repository.size() - name.size() - 1] == '/';
}

// "v0.8.5", "v0.19.0-cu130", "server-cuda-b5092"; empty for latest, nightly and the like.
std::optional<Version> version_of(std::string_view tag, std::string_view versions) {
  if (versions == "b") {
    for (const auto part : split(tag, '-')) {
      const bool build = part.size() > 1 && part.front() == 'b' && part[1] >= '0' && part[1] <= '9';
      if (build) return parse_version(part);
    }
    return {};
  }
  if (versions != "v") return {};
  const bool number = !tag.empty() && tag.front() >= '0' && tag.front() <= '9';
  if (!number && !tag.starts_with('v')) return {};
  const std::string_view release = tag.substr(0, tag.find('-'));
  // v1 alone, or a date, is no release.
  return release.contains('.') ? parse_version(release) : std::nullopt;
}

}  // namespace

ImageName image_name(std::string_view whole) {
  ImageName name;
  if (const auto at = whole.find('@'); at != std::string_view::npos) {
    name.digest = true;
    whole = whole.substr(0, at);
  }
  const auto slash = whole.rfind('/');
  const auto colon = whole.find(':', slash == std::string_view::npos ? 0 : slash);
  name.repository = whole.substr(0, colon);
  if (colon != std::string_view::npos) name.tag = whole.substr(colon + 1);
  return name;
}

std::optional<KnownImage> known_image(std::string_view whole) {
  static const std::vector<ImageRow> rows = read_images();
  const ImageName name = image_name(whole);
  const std::string repository = lower(name.repository);
  const ImageRow* best = nullptr;
  std::optional<Version> version;
  for (const ImageRow& row : rows) {
    if (!ends_with_path(repository, row.name) || !name.tag.starts_with(row.tag)) continue;
    const auto told = version_of(name.tag, row.versions);
    // Without a version only the newest row holds.
    const bool holds =
        told ? (!row.since || *row.since <= *told) &&
                   (!row.until || *told <= *row.until ||
                    (told->major == row.until->major && told->minor == row.until->minor))
             : !row.until;
    if (!holds || (best != nullptr && best->name.size() >= row.name.size())) continue;
    best = &row;
    version = told;
  }
  if (best == nullptr) return {};
  return KnownImage{.engine = best->engine,
                    .entrypoint = best->entrypoint,
                    .user = best->user,
                    .environment = best->environment,
                    .version = version};
}

}  // namespace sx
