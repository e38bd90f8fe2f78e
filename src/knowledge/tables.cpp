// Tab-separated tables, cut into views of bytes that stay where they are.
#include "knowledge/tables.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/strings.h"
#include "knowledge/embedded.h"

namespace sx {
namespace {

constexpr std::string_view kFolder = "data/";
constexpr std::size_t kUsualRow = 128;  // bytes; counting the rows would cost more than growing

// Filled by replace_tables before the first table is read, never touched after that.
std::vector<Replacement>& replacements() {
  static std::vector<Replacement> all;
  return all;
}

std::string_view take_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

Table::Table(std::string_view bytes) {
  header_ = split(take_line(bytes), '\t');
  rows_.reserve(bytes.size() / kUsualRow + 1);
  while (!bytes.empty()) {
    const std::string_view line = take_line(bytes);
    if (!line.empty()) rows_.push_back(line);
  }
}

std::optional<int> Table::column(std::string_view name) const {
  const auto found = std::ranges::find(header_, name);
  if (found == header_.end()) return {};
  return static_cast<int>(found - header_.begin());
}

std::string_view Table::cell(std::size_t row, int column) const {
  if (row >= rows_.size() || column < 0) return {};
  std::string_view line = rows_[row];
  for (; column > 0; --column) {
    const auto end = line.find('\t');
    if (end == std::string_view::npos) return {};
    line.remove_prefix(end + 1);
  }
  return line.substr(0, line.find('\t'));
}

std::string_view Table::cell(std::size_t row, std::string_view column_name) const {
  return cell(row, column(column_name).value_or(-1));
}

bool is_unknown(std::string_view cell) { return cell.empty() || cell == "null" || cell == "?"; }

bool is_none(std::string_view cell) { return cell == "-" || cell == "none"; }

std::optional<std::int64_t> integer_cell(std::string_view cell) {
  return to_integer(cell);  // the words for unknown and none are no numbers
}

std::optional<double> number_cell(std::string_view cell) {
  const auto number = to_number(cell);
  if (!number || !std::isfinite(*number)) return {};
  return number;
}

std::optional<std::string_view> find_table(std::string_view name) {
  if (name.starts_with(kFolder)) {
    const std::string_view rest = name.substr(kFolder.size());
    for (const auto& replacement : replacements()) {
      if (replacement.name == rest) return replacement.bytes;
    }
  }
  const auto files = embedded_files();
  const auto found = std::ranges::lower_bound(files, name, {}, &Embedded::name);
  if (found == files.end() || found->name != name) return {};
  return found->bytes;
}

std::string_view table_bytes(std::string_view name) {
  const auto bytes = find_table(name);
  SX_ASSERT(bytes.has_value());
  return bytes.value_or(std::string_view{});
}

void replace_tables(std::vector<Replacement> new_tables) { replacements() = std::move(new_tables); }

}  // namespace sx
