// What argparse checks while it reads; later checks of the engine are rules of their own.
#include "engines/argparse/values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/strings.h"
#include "knowledge/choices.h"
#include "read/json.h"

namespace sx::argparse {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Without the underscores that Python allows between two digits; nothing when one stands elsewhere.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      plain += text[i];
      continue;
    }
    const bool between =
        i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]);
    if (!between) return {};
  }
  return plain;
}

struct Unit {
  char letter;
  std::int64_t times;
  bool whole;  // takes no decimals
};

constexpr std::array<Unit, 8> kUnits{{{'k', 1'000, false},
                                      {'m', 1'000'000, false},
                                      {'g', 1'000'000'000, false},
                                      {'t', 1'000'000'000'000, false},
                                      {'K', std::int64_t{1} << 10, true},
                                      {'M', std::int64_t{1} << 20, true},
                                      {'G', std::int64_t{1} << 30, true},
                                      {'T', std::int64_t{1} << 40, true}}};

std::optional<std::int64_t> times(std::string_view digits, const Unit& unit) {
  const bool decimal = digits.find('.') != std::string_view::npos;
  if (decimal && unit.whole) return {};
  if (decimal) {
    const auto number = to_number(digits);
    if (!number) return {};
    const double product = *number * static_cast<double>(unit.times);
    if (product > 9e18) return {};
    return static_cast<std::int64_t>(product);
  }
  const auto number = to_integer(digits);
  if (!number || *number > std::numeric_limits<std::int64_t>::max() / unit.times) return {};
  return *number * unit.times;
}

// Digits, perhaps with a point and more digits: what may stand in front of a unit.
bool plain_decimal(std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() > 2) return false;
  return std::ranges::all_of(parts, [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, is_digit);
  });
}

bool takes_human(const FlagRow& row, const Dialect& dialect) {
  return row.human_integer && dialect.habit("human-integers").has_value();
}

bool takes_auto(const FlagRow& row, const Dialect& dialect) {
  return dialect.holds("auto-length", row.name);
}

Both integer_expected(const FlagRow& row, const Dialect& dialect) {
  const bool automatic = takes_auto(row, dialect);
  if (!takes_human(row, dialect)) {
    return automatic ? Both{"a whole number, or auto", "整数或 auto"}
                     : Both{"a whole number", "整数"};
  }
  return automatic ? Both{"a whole number such as 32768, 32k or 32K, or auto",
                          "整数（如 32768、32k 或 32K）或 auto"}
                   : Both{"a whole number such as 32768, 32k or 32K", "整数，如 32768、32k 或 32K"};
}

// Empty: anything, or not known for this version.
std::vector<std::string_view> choices_of(const FlagRow& row, const Dialect& dialect) {
  if (auto by_version = choices_in(dialect.flags, row, dialect.version)) return *by_version;
  // The table of flags holds the choices of the newest version; older ones may have taken others.
  const bool held =
      dialect.version == dialect.flags.newest() || dialect.holds("choices-held", row.name);
  return held ? row.choices : std::vector<std::string_view>{};
}

std::optional<ValueFault> choice_fault(const FlagRow& row, const std::string& text,
                                       const Dialect& dialect) {
  const auto taken = choices_of(row, dialect);
  const bool any_case = dialect.holds("choices-any-case", row.name);
  const auto meant = [&](std::string_view choice) {
    return any_case ? lower(choice) == lower(text) : choice == text;
  };
  if (taken.empty() || std::ranges::any_of(taken, meant)) return {};
  std::vector<std::string> choices;
  for (const std::string_view choice : taken) choices.emplace_back(choice);
  return ValueFault{FlagProblem::Kind::NotAChoice, {join(choices, ", "), join(choices, "、")}};
}

bool is_pairs(std::string_view text) {
  return text.find('=') != std::string_view::npos && !text.starts_with('{');
}

std::optional<ValueFault> json_fault(const FlagRow& row, const std::string& text,
                                     const Dialect& dialect) {
  const std::string_view inner = trimmed(text);
  if (row.plain_text && !(inner.starts_with('{') && inner.ends_with('}'))) return {};
  if (dialect.holds("level", row.name) && python_integer(text)) return {};
  if (dialect.holds("pairs", row.name) && is_pairs(inner)) return {};
  const auto document = JsonDocument::parse(text);
  if (!document) return ValueFault{FlagProblem::Kind::BadJson, document.error().words()};
  for (const JsonNote& note : document->notes()) {
    if (note.kind == JsonNote::Kind::Comment || note.kind == JsonNote::Kind::TrailingComma) {
      return ValueFault{FlagProblem::Kind::BadJson,
                        {"JSON without comments and trailing commas", "不带注释和多余逗号的 JSON"}};
    }
  }
  const bool list = row.default_text.starts_with('[');
  if (list || document->root().is(JsonKind::Object) || document->root().is(JsonKind::Null))
    return {};
  return ValueFault{FlagProblem::Kind::BadJson, {"a JSON object", "JSON 对象"}};
}

}  // namespace

std::optional<std::int64_t> python_integer(std::string_view text) {
  std::string_view digits = trimmed(text);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const auto plain = without_underscores(digits);
  if (!plain || plain->empty() || !std::ranges::all_of(*plain, is_digit)) return {};
  const auto number = to_integer(*plain);
  if (!number) return {};
  return negative ? -*number : *number;
}

std::optional<double> python_number(std::string_view text) {
  std::string_view digits = trimmed(text);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const std::string word = lower(digits);
  double number = 0;
  if (word == "inf" || word == "infinity") {
    number = std::numeric_limits<double>::infinity();
  } else if (word == "nan") {
    number = std::numeric_limits<double>::quiet_NaN();
  } else {
    const auto plain = without_underscores(digits);
    if (!plain || plain->empty() || !(is_digit(plain->front()) || plain->front() == '.')) return {};
    // ".5" and "5." are numbers to Python.
    std::string padded = plain->front() == '.' ? '0' + *plain : *plain;
    if (padded.ends_with('.')) padded += '0';
    const auto read = padded == "0.0" && *plain == "." ? std::nullopt : to_number(padded);
    if (!read) return {};
    number = *read;
  }
  return negative ? -number : number;
}

std::optional<std::int64_t> human_integer(std::string_view text) {
  const std::string_view word = trimmed(text);
  if (word.size() > 1) {
    const auto unit = std::ranges::find(kUnits, word.back(), &Unit::letter);
    const std::string_view digits = word.substr(0, word.size() - 1);
    if (unit != kUnits.end() && plain_decimal(digits)) return times(digits, *unit);
  }
  return python_integer(text);
}

std::optional<std::int64_t> integer_value(const FlagRow& row, std::string_view text,
                                          const Dialect& dialect) {
  if (takes_auto(row, dialect) && lower(trimmed(text)) == "auto") return -1;
  return takes_human(row, dialect) ? human_integer(text) : python_integer(text);
}

std::optional<ValueFault> value_fault(const FlagRow& row, const std::string& text,
                                      const Dialect& dialect) {
  switch (row.kind) {
    case FlagKind::Integer:
      if (integer_value(row, text, dialect)) return {};
      return ValueFault{FlagProblem::Kind::WrongType, integer_expected(row, dialect)};
    case FlagKind::Number:
      if (python_number(text)) return {};
      return ValueFault{FlagProblem::Kind::WrongType, {"a number", "数字"}};
    case FlagKind::Choice:
      return choice_fault(row, text, dialect);
    case FlagKind::Json:
      return json_fault(row, text, dialect);
    case FlagKind::Switch:
    case FlagKind::String:
    case FlagKind::List:
    case FlagKind::Optional:
      return {};
  }
  SX_UNREACHABLE("a kind of flag without a check");
}

}  // namespace sx::argparse
