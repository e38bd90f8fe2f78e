// From typed values to words.
#include "diag/message.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "diag/singular.h"

namespace sx {
namespace {

constexpr Text kNoNumber{"unknown", "未知"};

struct Unit {
  std::uint64_t bytes;
  std::string_view name;
};
constexpr Unit kUnits[] = {
    {std::uint64_t{1} << 40U, "TiB"},
    {std::uint64_t{1} << 30U, "GiB"},
    {std::uint64_t{1} << 20U, "MiB"},
    {std::uint64_t{1} << 10U, "KiB"},
};

std::uint64_t magnitude(std::int64_t count) {
  const auto bits = static_cast<std::uint64_t>(count);
  return count < 0 ? ~bits + 1 : bits;
}

std::string_view sign(std::int64_t count) { return count < 0 ? "-" : ""; }

// The largest unit of which there is at least one after rounding: 1023.99 MiB is said as 1.0 GiB.
std::string in_words(Bytes bytes) {
  const std::uint64_t size = magnitude(bytes.count());
  for (const Unit& unit : kUnits) {
    const std::uint64_t rest = size % unit.bytes;
    const std::uint64_t tenths = size / unit.bytes * 10 + (rest * 10 + unit.bytes / 2) / unit.bytes;
    if (tenths < 10) continue;
    return fmt::format("{}{}.{} {}", sign(bytes.count()), tenths / 10, tenths % 10, unit.name);
  }
  return fmt::format("{} B", bytes.count());
}

std::string in_words(Tokens tokens) {
  std::string out = std::to_string(magnitude(tokens.count()));
  for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, 1, ' ');
  return std::string(sign(tokens.count())) + out;
}

std::string in_words(double number, Language language) {
  if (!std::isfinite(number)) return std::string(kNoNumber.in(language));
  std::string out = fmt::format("{:.2f}", number);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

struct InWords {
  Language language;
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const { return in_words(number, language); }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(Bytes bytes) const { return in_words(bytes); }
  std::string operator()(Tokens tokens) const { return in_words(tokens); }
  std::string operator()(Text text) const { return std::string(text.in(language)); }
  std::string operator()(const Both& words) const {
    return language == Language::English ? words.english : words.chinese;
  }
};

const Value* find(const std::vector<Argument>& arguments, std::string_view name) {
  for (const Argument& argument : arguments) {
    if (argument.name == name) return &argument.value;
  }
  return nullptr;
}

}  // namespace

std::string rendered(const Value& value, Language language) {
  return std::visit(InWords{language}, value);
}

Both in_both(const Message& message) {
  return {rendered(message, Language::English), rendered(message, Language::Chinese)};
}

std::string rendered(const Message& message, Language language) {
  std::string_view rest = message.text.in(language);
  std::string out;
  while (true) {
    const auto open = rest.find('{');
    out += rest.substr(0, open);
    if (open == std::string_view::npos) return out;
    const auto close = rest.find('}', open);
    SX_ASSERT(close != std::string_view::npos);
    const Value* value = find(message.arguments, rest.substr(open + 1, close - open - 1));
    SX_ASSERT(value != nullptr);  // a placeholder without an argument
    const std::string words = rendered(*value, language);
    out += words;
    rest.remove_prefix(close + 1);
    // A text that is a number by chance counts nothing.
    const bool counts = !std::holds_alternative<std::string>(*value);
    if (counts && words == "1" && language == Language::English) put_singular(out, rest);
  }
}

}  // namespace sx
