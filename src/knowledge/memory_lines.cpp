// Patterns are cut into pieces once; a line is walked from its first literal on, without going
// back.
#include "knowledge/memory_lines.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "knowledge/cells.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

using Piece = MemoryLineRow::Piece;

// GB in these lines is 2^30 too: the engines divide by it.
constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{{
    {"GiB", 1024.0 * 1024 * 1024},
    {"GB", 1024.0 * 1024 * 1024},
    {"MiB", 1024.0 * 1024},
    {"bytes", 1},
    {"", 1},
}};

Piece placeholder(std::string_view inside) {
  const auto colon = inside.find(':');
  const std::string_view name = inside.substr(0, colon);
  const std::string_view form =
      colon == std::string_view::npos ? std::string_view() : inside.substr(colon + 1);
  if (form == "word") return {.kind = Piece::Kind::Word, .text = name};
  if (form == "rest") return {.kind = Piece::Kind::Rest, .text = name};
  const auto unit = std::ranges::find(kUnits, form, &std::pair<std::string_view, double>::first);
  return {
      .kind = Piece::Kind::Number, .text = name, .unit = unit == kUnits.end() ? 1 : unit->second};
}

std::vector<Piece> pieces_of(std::string_view pattern) {
  std::vector<Piece> pieces;
  while (!pattern.empty()) {
    const auto special = std::min(pattern.find_first_of("*{"), pattern.size());
    if (special > 0) {
      pieces.push_back({.kind = Piece::Kind::Literal, .text = pattern.substr(0, special)});
      pattern.remove_prefix(special);
      continue;
    }
    const auto close = pattern.find('}');
    if (pattern.front() == '*' || close == std::string_view::npos) {
      pieces.push_back({.kind = Piece::Kind::Anything, .text = {}});
      pattern.remove_prefix(1);
      continue;
    }
    pieces.push_back(placeholder(pattern.substr(1, close - 1)));
    pattern.remove_prefix(close + 1);
  }
  return pieces;
}

std::vector<MemoryLineRow> read_rows(std::string_view, const Table& table) {
  std::vector<MemoryLineRow> rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    MemoryLineRow one{.pattern = table.cell(row, "pattern"),
                      .combine = table.cell(row, "combine"),
                      .since = version_cell(table.cell(row, "since")),
                      .until = version_cell(table.cell(row, "until")),
                      .source = table.cell(row, "source"),
                      .pieces = {}};
    one.pieces = pieces_of(one.pattern);
    rows.push_back(std::move(one));
  }
  return rows;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "-2.14", "1,823,372": the number that begins here, blanks in front allowed.
std::optional<CapturedValue> number_at(std::string_view line, std::size_t& at, const Piece& piece) {
  while (at < line.size() && line[at] == ' ') ++at;
  std::size_t end = at;
  if (end < line.size() && (line[end] == '-' || line[end] == '+')) ++end;
  const std::size_t digits = end;
  const auto thousands = [&](std::size_t i) {
    return line[i] == ',' && i + 1 < line.size() && is_digit(line[i + 1]);
  };
  while (end < line.size() && (is_digit(line[end]) || (end > digits && thousands(end)))) ++end;
  if (end == digits) return {};
  if (end + 1 < line.size() && line[end] == '.' && is_digit(line[end + 1])) {
    ++end;
    while (end < line.size() && is_digit(line[end])) ++end;
  }
  const std::string_view text = line.substr(at, end - at);
  const auto number = to_number(replaced(text.starts_with('+') ? text.substr(1) : text, ",", ""));
  if (!number) return {};
  at = end;
  return CapturedValue{.name = piece.text, .number = *number * piece.unit, .text = text};
}

CapturedValue word_at(std::string_view line, std::size_t& at, const Piece& piece) {
  const std::size_t begin = at;
  while (at < line.size() && line[at] != ' ' && line[at] != ',' && line[at] != ')') ++at;
  return {.name = piece.text, .number = 0, .text = line.substr(begin, at - begin)};
}

// The pieces behind the first literal, which ends at `at`.
std::optional<std::vector<CapturedValue>> rest_of(std::span<const Piece> pieces,
                                                  std::string_view line, std::size_t at) {
  std::vector<CapturedValue> values;
  bool anywhere = false;  // behind a "*"
  for (const Piece& piece : pieces) {
    switch (piece.kind) {
      case Piece::Kind::Anything:
        anywhere = true;
        continue;
      case Piece::Kind::Literal: {
        const auto found = line.find(piece.text, at);
        if (found == std::string_view::npos || (!anywhere && found != at)) return {};
        at = found + piece.text.size();
        break;
      }
      case Piece::Kind::Number: {
        while (anywhere && at < line.size() && !is_digit(line[at]) && line[at] != '-') ++at;
        const auto value = number_at(line, at, piece);
        if (!value) return {};
        values.push_back(*value);
        break;
      }
      case Piece::Kind::Word:
        values.push_back(word_at(line, at, piece));
        break;
      case Piece::Kind::Rest:
        values.push_back({.name = piece.text, .number = 0, .text = line.substr(at)});
        return values;
    }
    anywhere = false;
  }
  return values;
}

// A word in front of the first literal: what stands there up to the blank before it.
std::optional<CapturedValue> word_before(std::string_view line, std::size_t end,
                                         const Piece& piece) {
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] != ' ' && line[begin - 1] != '\t') --begin;
  if (begin == end) return {};
  return CapturedValue{.name = piece.text, .number = 0, .text = line.substr(begin, end - begin)};
}

}  // namespace

std::span<const MemoryLineRow> memory_lines(std::string_view engine) {
  const auto* rows = engine_table<read_rows>(engine, "memory_lines.tsv");
  return rows == nullptr ? std::span<const MemoryLineRow>() : *rows;
}

std::vector<CapturedValue> captured(const MemoryLineRow& row, std::string_view line) {
  std::span<const Piece> pieces = row.pieces;
  const bool word_first = !pieces.empty() && pieces.front().kind == Piece::Kind::Word;
  const Piece first_word = word_first ? pieces.front() : Piece{};
  if (word_first) pieces = pieces.subspan(1);
  if (pieces.empty() || pieces.front().kind != Piece::Kind::Literal) return {};
  const std::string_view literal = pieces.front().text;
  constexpr int kMostTries = 8;  // a line that repeats the literal more often says nothing
  std::size_t found = line.find(literal);
  for (int i = 0; i < kMostTries && found != std::string_view::npos; ++i) {
    auto values = rest_of(pieces.subspan(1), line, found + literal.size());
    if (values && word_first) {
      if (const auto word = word_before(line, found, first_word)) {
        // Not inserted in front: g++ 12 takes that for a null pointer, and warnings are errors.
        std::vector<CapturedValue> all{*word};
        for (const CapturedValue& value : *values) all.push_back(value);
        return all;
      }
    } else if (values) {
      return *std::move(values);
    }
    found = line.find(literal, found + 1);
  }
  return {};
}

}  // namespace sx
