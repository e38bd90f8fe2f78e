// Numbers at the front of a text, words of a list, shares, JSON.
#include "engines/llamacpp/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/strings.h"
#include "engines/argparse/habits.h"
#include "knowledge/truth_words.h"
#include "read/json.h"

namespace sx::llamacpp {
namespace {

// More digits are no number that anything could use.
constexpr std::size_t kMostDigits = 400;

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

bool habit_holds(std::string_view name, std::string_view value, const Version& version) {
  return argparse::holds("llamacpp", name, value, version);
}

std::optional<ValueFault> integer_fault(const FlagRow& row, std::string_view text,
                                        const Version& version) {
  if (std::ranges::find(row.choices, text) != row.choices.end()) return {};
  const auto number = front_integer(text);
  const bool wide = habit_holds("wide-integer", row.name, version);
  const bool narrow = number && number->value <= std::numeric_limits<std::int32_t>::max() &&
                      number->value >= std::numeric_limits<std::int32_t>::min();
  if (!number || (!wide && !narrow)) return ValueFault{.expected = wanted(row)};
  const std::string said = std::string(row.name) + ' ' + std::to_string(number->value);
  if (!habit_holds("refused-value", said, version)) return {};
  return ValueFault{.expected = {"a number other than " + std::to_string(number->value),
                                 std::to_string(number->value) + " 以外的数"}};
}

bool has_choice(const FlagRow& row, std::string_view word) {
  return std::ranges::find(row.choices, word) != row.choices.end();
}

// Where `on` is a choice so are the other words of a yes and a no, and -1 for `auto`.
bool is_choice(const FlagRow& row, std::string_view text) {
  if (has_choice(row, text)) return true;
  if (text == "-1") return has_choice(row, "auto") && has_choice(row, "on");
  return has_choice(row, "on") && has_choice(row, "off") && truth_as("llamacpp", text).has_value();
}

std::optional<ValueFault> shares_fault(std::string_view text, const Version& version) {
  const auto shares = shares_of(text);
  const auto most = argparse::habit("llamacpp", "most-shares", version);
  const auto limit = most ? to_integer(*most) : std::nullopt;
  const std::string count = limit ? std::to_string(*limit) : std::string("?");
  if (shares && (!limit || static_cast<std::int64_t>(shares->size()) <= *limit)) return {};
  return ValueFault{.expected = {"at most " + count + " numbers with commas between them, as 3,1",
                                 "以逗号分隔、最多 " + count + " 个数，例如 3,1"}};
}

// KEY=TYPE:VALUE of --override-kv; the first of several is looked at.
std::optional<ValueFault> override_fault(std::string_view text) {
  const auto equals = std::min(text.find('='), text.size());
  const std::string_view value = text.substr(std::min(equals + 1, text.size()));
  for (const std::string_view type : {"int:", "float:", "bool:", "str:"}) {
    if (value.starts_with(type)) return {};
  }
  return ValueFault{.expected = {"KEY=TYPE:VALUE, with int, float, bool or str as type",
                                 "KEY=TYPE:VALUE，类型为 int、float、bool 或 str"}};
}

std::optional<ValueFault> scaled_fault(std::string_view text) {
  if (text.find(':') != std::string_view::npos) return {};
  return ValueFault{
      .expected = {"FILE:SCALE, as style.gguf:0.5", "FILE:SCALE，例如 style.gguf:0.5"}};
}

std::optional<ValueFault> text_fault(const FlagRow& row, std::string_view text,
                                     const Version& version) {
  if (habit_holds("shares", row.name, version)) return shares_fault(text, version);
  if (habit_holds("key-type-value", row.name, version)) return override_fault(text);
  if (habit_holds("file-and-scale", row.name, version)) return scaled_fault(text);
  return {};
}

std::optional<ValueFault> json_fault(std::string_view text) {
  const auto document = JsonDocument::parse(text);
  if (document) return {};
  return ValueFault{.kind = FlagProblem::Kind::BadJson, .expected = document.error().words()};
}

}  // namespace

std::optional<Integer> front_integer(std::string_view text) {
  text = without_blanks(text);
  const bool plus = text.starts_with('+');
  if (plus) text.remove_prefix(1);
  if (plus && text.starts_with('-')) return {};
  Integer number;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number.value, 10);
  if (error != std::errc()) return {};
  number.rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<Number> front_number(std::string_view text) {
  text = without_blanks(text);
  const bool plus = text.starts_with('+');
  if (plus) text.remove_prefix(1);
  if ((plus && text.starts_with('-')) || text.size() > kMostDigits) return {};
  Number number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (error != std::errc()) return {};
  number.rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<std::vector<double>> shares_of(std::string_view text) {
  constexpr std::size_t kMostShares = 4096;  // far above the engine's own limit
  std::vector<double> shares;
  if (text.starts_with(',') || text.starts_with('/')) return {};
  const std::string commas = replaced(text, "/", ",");
  for (const std::string_view part : split(commas, ',')) {
    if (part.empty() && !shares.empty()) continue;  // commas side by side count as one
    const auto share = front_number(part);
    if (!share || shares.size() == kMostShares) return {};
    shares.push_back(share->value);
  }
  return shares;
}

Both wanted(const FlagRow& row) {
  const std::vector<std::string> choices(row.choices.begin(), row.choices.end());
  const std::string words = join(choices, ", ");
  const std::string chinese_words = join(choices, "、");
  switch (row.kind) {
    case FlagKind::Integer:
      if (!words.empty())
        return {"a whole number, or one of: " + words, "一个整数，或 " + chinese_words + " 之一"};
      return {"a whole number", "一个整数"};
    case FlagKind::Number:
      return {"a number", "一个数"};
    case FlagKind::Choice:
      return {words, chinese_words};
    case FlagKind::Json:
      return {"a JSON object", "一个 JSON 对象"};
    case FlagKind::List:
      return {"two numbers", "两个数"};
    case FlagKind::Switch:
    case FlagKind::String:
    case FlagKind::Optional:
      break;
  }
  return {"a value", "一个值"};
}

std::optional<ValueFault> value_fault(const FlagRow& row, std::string_view text,
                                      const Version& version) {
  switch (row.kind) {
    case FlagKind::Integer:
      return integer_fault(row, text, version);
    case FlagKind::Number:
      if (front_number(text)) return {};
      return ValueFault{.expected = wanted(row)};
    case FlagKind::Choice:
      if (is_choice(row, text)) return {};
      return ValueFault{.kind = FlagProblem::Kind::NotAChoice, .expected = wanted(row)};
    case FlagKind::List:
      if (front_integer(text)) return {};
      return ValueFault{.expected = {"a whole number", "一个整数"}};
    case FlagKind::Json:
      return json_fault(text);
    case FlagKind::String:
      return text_fault(row, text, version);
    case FlagKind::Switch:
    case FlagKind::Optional:
      break;
  }
  return {};
}

}  // namespace sx::llamacpp
