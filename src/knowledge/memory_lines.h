// What engines log of their memory (data/engines/<engine>/memory_lines.tsv): patterns of lines with
// numbers in them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"

namespace sx {

// A pattern is plain text in which "*" stands for anything, "{name}" for a number, "{name:GiB}" for
// one of that unit, "{name:word}" for a word without blanks, and "{name:rest}" for the rest of the
// line. Numbers may have a sign and commas between thousands.
struct MemoryLineRow {
  std::string_view pattern;
  // How several lines of one process and device make one number: "last", "first", "sum".
  std::string_view combine;
  std::optional<Version> since, until;  // first and last version read that prints it
  std::string_view source;

  struct Piece {
    enum class Kind { Literal, Anything, Number, Word, Rest };
    Kind kind = Kind::Literal;
    std::string_view text;  // of a Literal; else the name
    double unit = 1;        // bytes of one, for numbers of bytes
  };
  std::vector<Piece> pieces;
};

// In the order of the table; empty for an engine without such a table.
std::span<const MemoryLineRow> memory_lines(std::string_view engine);

struct CapturedValue {
  std::string_view name;
  double number = 0;      // in bytes where the pattern has a unit of bytes
  std::string_view text;  // as it stands in the line
};

// What the line holds of the row; empty: it is another line.
std::vector<CapturedValue> captured(const MemoryLineRow& row, std::string_view line);

}  // namespace sx
