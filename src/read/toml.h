// TOML 1.0 with the place of every value and key. Bounded like the other readers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/both.h"
#include "base/source.h"

namespace sx {

struct TomlValue {
  enum class Kind { Table, Array, String, Integer, Float, Boolean, Time };
  struct Entry;

  Kind kind = Kind::Table;
  std::string text;          // of a String; of a Time as it is written
  std::int64_t integer = 0;  // of an Integer
  double number = 0;         // of a Float
  bool truth = false;        // of a Boolean
  std::vector<TomlValue> items;
  std::vector<Entry> entries;  // in the order of the text
  Span span;                   // of a table made by a header: the header

  const Entry* find(std::string_view key) const;
};

struct TomlValue::Entry {
  std::string key;
  Span key_span;  // where the key stands; empty for one whose place is not told
  TomlValue value;
};

// What is wrong with the text, and where.
struct TomlProblem {
  Both words;
  Span span;
};

struct TomlRead {
  TomlValue table;
  std::optional<TomlProblem> problem;  // then `table` is empty
};

// Of a source of at most 1 MiB, 64 levels, 100 000 values.
TomlRead read_toml(const Sources& sources, int source);

}  // namespace sx
