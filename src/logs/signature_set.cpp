// The 4-grams that ordinary logs are full of come from a table, so that windows avoid them.
#include "logs/signature_set.h"

#include "knowledge/tables.h"

namespace sx {
namespace {

// Written "word\\n": a short word that means something only where the line ends with it.
constexpr std::string_view kLineEnd = "\\n";

std::string_view with_line_end(std::string_view text, std::deque<std::string>& line_ends) {
  if (!text.ends_with(kLineEnd)) return text;
  text.remove_suffix(kLineEnd.size());
  return line_ends.emplace_back(text).append("\n");
}

std::vector<LiteralFilter::Literal> literals_of(std::span<const SignatureRow> rows,
                                                std::span<const std::string_view> beside,
                                                std::deque<std::string>& line_ends) {
  std::vector<LiteralFilter::Literal> all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const std::string_view cell : rows[i].literals) {
      const std::string_view text = with_line_end(cell, line_ends);
      if (text.size() >= kShortestLiteral) all.push_back({text, static_cast<int>(i)});
    }
  }
  for (const std::string_view text : beside) {
    if (text.size() >= kShortestLiteral) all.push_back({text, kBeside});
  }
  return all;
}

// One a line, the commonest first, between bars: blanks at the ends count.
std::vector<std::string_view> common_grams() {
  std::vector<std::string_view> grams;
  const auto bytes = find_table("data/causes/common_grams.tsv");
  if (!bytes) return grams;
  const Table table(*bytes);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    std::string_view cell = table.cell(i, "gram");
    if (cell.size() != 6) continue;
    grams.push_back(cell.substr(1, 4));
  }
  return grams;
}

}  // namespace

SignatureSet::SignatureSet(std::span<const SignatureRow> rows,
                           std::span<const std::string_view> beside)
    : rows_(rows),
      filter_(literals_of(rows, beside, line_ends_), common_grams()),
      patterns_(rows.size()) {}

bool SignatureSet::matches(int index, std::string_view text, Found& found) {
  Pattern& pattern = patterns_[static_cast<std::size_t>(index)];
  if (!pattern.compiled() && !pattern.compile(row(index).pattern)) return false;
  return pattern.find(text, found);
}

}  // namespace sx
