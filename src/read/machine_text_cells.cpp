// Cells of a topology row. Pastes turn tabs to blanks and glue neighbours, so words are read one
// after another.
#include "read/machine_text_cells.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace sx {
namespace {

constexpr std::array<std::string_view, 14> kWords{"NODE", "SYS", "SOC", "PIX", "PXB", "PHB", "CNS",
                                                  "GNS",  "TNS", "NS",  "OK",  "DR",  "U",   "X"};
constexpr std::array<std::string_view, 7> kStatuses{"CNS", "GNS", "TNS", "NS", "OK", "DR", "U"};

bool digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first);
}

std::string_view word_of(std::string_view text) {
  return text.substr(0, std::min(text.find_first_of(" \t"), text.size()));
}

bool is_number_list(std::string_view text) {
  return !text.empty() && digit(text.front()) &&
         text.find_first_not_of("0123456789,-") == text.npos;
}

bool is_affinity(std::string_view word) { return is_number_list(word) || word == "N/A"; }

struct Cells {
  std::vector<std::string> cells;
  std::string_view rest;
  bool met_affinity = false;  // before all cells came
};

// Word after word; an unknown word hides one cell.
Cells by_words(std::string_view text, std::size_t count) {
  Cells out;
  while (out.cells.size() < count) {
    text = without_blanks(text);
    if (text.empty()) break;
    const std::size_t length = topology_word_length(text);
    if (length == 0 && is_affinity(word_of(text))) {
      out.met_affinity = true;
      break;
    }
    out.cells.emplace_back(text.substr(0, length));
    text.remove_prefix(length != 0 ? length : word_of(text).size());
  }
  out.rest = text;
  return out;
}

// Tab after tab, where an empty column is a cell that was lost.
Cells by_tabs(std::string_view text, std::size_t count) {
  Cells out;
  const auto first = text.find('\t');
  if (first != text.npos && trimmed(text.substr(0, first)).empty()) text.remove_prefix(first + 1);
  while (out.cells.size() < count && !text.empty()) {
    const std::size_t end = std::min(text.find('\t'), text.size());
    const std::string_view column = text.substr(0, end);
    const Cells inner = by_words(column, count - out.cells.size());
    if (trimmed(column).empty() || inner.met_affinity) out.cells.emplace_back();
    out.cells.insert(out.cells.end(), inner.cells.begin(), inner.cells.end());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out.rest = text;
  return out;
}

std::string_view behind_nics(std::string_view text) {
  for (std::size_t passed = 0; passed < kMostTopologyColumns; ++passed) {
    const std::string_view next = without_blanks(text);
    const std::size_t length = topology_word_length(next);
    if (length == 0) break;
    text = next.substr(length);
  }
  return text;
}

// With tabs a column may be empty; with blanks only the order is left.
void read_affinity(TopologyRow& row, std::string_view rest, bool has_numa) {
  std::vector<std::string_view> parts;
  if (rest.find('\t') != rest.npos) {
    parts = split(rest, '\t');
    for (auto& part : parts) part = trimmed(part);
    if (parts.front().empty()) parts.erase(parts.begin());
  } else {
    for (const std::string_view part : split(rest, ' ')) {
      if (!part.empty()) parts.push_back(part);
    }
  }
  if (parts.empty()) return;
  if (is_number_list(parts[0])) row.cpus = std::string(parts[0]);
  if (has_numa && parts.size() > 1 && is_affinity(parts[1])) row.numa = std::string(parts[1]);
}

bool own_cell_fits(const Cells& cells, std::size_t own) {
  return own < cells.cells.size() && cells.cells[own] == "X";
}

}  // namespace

std::size_t gpu_label_length(std::string_view text) {
  if (!text.starts_with("GPU") || text.size() < 4 || !digit(text[3])) return 0;
  std::size_t end = 4;
  while (end < text.size() && end < 6 && digit(text[end])) ++end;
  return end;
}

std::size_t find_gpu_label(std::string_view text) {
  for (auto at = text.find("GPU"); at != text.npos; at = text.find("GPU", at + 3)) {
    if (gpu_label_length(text.substr(at)) != 0) return at;
  }
  return text.npos;
}

std::size_t topology_word_length(std::string_view text) {
  if (text.size() > 2 && text.starts_with("NV") && digit(text[2])) {
    return text.size() > 3 && digit(text[3]) ? 4 : 3;
  }
  for (const std::string_view word : kWords) {
    if (text.starts_with(word)) return word.size();
  }
  return 0;
}

bool is_link_status(std::string_view word) {
  return std::ranges::find(kStatuses, word) != kStatuses.end();
}

bool is_rest_of_row(std::string_view line) {
  line = without_blanks(line);
  if (line.empty()) return false;
  for (std::size_t words = 0; words < 2 * kMostTopologyColumns && !line.empty(); ++words) {
    const std::size_t length = topology_word_length(line);
    if (length == 0 && !is_affinity(word_of(line))) return false;
    line = without_blanks(line.substr(length != 0 ? length : word_of(line).size()));
  }
  return line.empty();
}

TopologyRow topology_row(std::string_view text, std::size_t own, std::size_t count, bool has_numa) {
  Cells cells = by_words(text, count);
  if (cells.cells.size() < count || !own_cell_fits(cells, own)) {
    Cells tabbed = by_tabs(text, count);
    if (text.find('\t') != text.npos && own_cell_fits(tabbed, own)) cells = std::move(tabbed);
  }
  TopologyRow row;
  row.cut_short = cells.cells.size() < count;
  // The GPU's own cell is the anchor: elsewhere, or not there although the row went on, nothing has
  // its place.
  const bool misplaced = cells.cells.size() > own && !own_cell_fits(cells, own);
  if (misplaced || cells.met_affinity) return row;
  row.cells = std::move(cells.cells);
  if (!row.cut_short) read_affinity(row, behind_nics(cells.rest), has_numa);
  return row;
}

std::vector<std::string> nic_names(std::string_view columns) {
  std::vector<std::string> names;
  const std::string text = replaced(columns, "\t", " ");
  for (std::string_view word : split(text, ' ')) {
    if (word.empty() || names.size() >= kMostTopologyColumns) continue;
    for (auto at = word.find("NIC", 1); at != word.npos && digit(word[at - 1]);
         at = word.find("NIC", 1)) {
      names.emplace_back(word.substr(0, at));
      word.remove_prefix(at);
    }
    names.emplace_back(word);
  }
  return names;
}

}  // namespace sx
