// Symptoms in the order of the table, which goes by topics.
#include "knowledge/symptoms.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/strings.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

// A pasted log may be long; what is telling stands early or in a line of its own.
constexpr std::size_t kMostText = 64 * 1024;
// Fewer letters than this are in too many lines to say anything.
constexpr std::size_t kLeastPart = 12;

std::vector<SymptomRow> read_symptoms() {
  const Table table(table_bytes("data/symptoms.tsv"));
  std::vector<SymptomRow> all;
  all.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cell = [&](std::string_view column) { return known_cell(table.cell(row, column)); };
    SymptomRow one{.id = cell("id"),
                   .topic = cell("topic"),
                   .lines = {},
                   .seen = {cell("seen"), cell("seen_zh")},
                   .usually = {cell("usually"), cell("usually_zh")},
                   .sure = {cell("sure"), cell("sure_zh")},
                   .helps = {cell("helps"), cell("helps_zh")},
                   .rule = cell("rule"),
                   .source = cell("source")};
    for (const auto line : split(cell("lines"), '|')) {
      if (!trimmed(line).empty()) one.lines.push_back(trimmed(line));
    }
    all.push_back(std::move(one));
  }
  return all;
}

// Letters of the pattern that the text holds in their order; 0: it does not hold them all.
std::size_t told_by(std::string_view text, std::string_view pattern) {
  std::size_t letters = 0;
  std::size_t at = 0;
  for (const auto part : split(pattern, '*')) {
    const auto found = text.find(part, at);
    if (found == std::string_view::npos) return 0;
    at = found + part.size();
    letters += part.size();
  }
  return letters;
}

}  // namespace

std::span<const SymptomRow> symptoms() {
  static const std::vector<SymptomRow> all = read_symptoms();
  return all;
}

const SymptomRow* find_symptom(std::string_view id) {
  const auto all = symptoms();
  const auto found = std::ranges::find(all, id, &SymptomRow::id);
  return found == all.end() ? nullptr : &*found;
}

std::vector<const SymptomRow*> symptoms_in(std::string_view text) {
  const std::string low = lower(trimmed(text).substr(0, kMostText));
  std::vector<std::pair<std::size_t, const SymptomRow*>> told;
  for (const SymptomRow& row : symptoms()) {
    // Of several that a general line fits, the one that more of the text speaks for goes first.
    std::size_t letters = 0;
    for (const auto line : row.lines) {
      const std::size_t held = told_by(low, line);
      const bool part = low.size() >= kLeastPart && line.contains(low);
      letters += part ? std::max(held, low.size()) : held;
    }
    if (letters > 0) told.emplace_back(letters, &row);
  }
  std::ranges::sort(told, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<const SymptomRow*> rows;
  for (const auto& one : told) rows.push_back(one.second);
  return rows;
}

}  // namespace sx
