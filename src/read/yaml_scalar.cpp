// `no` is a bool, 010 is eight, 1_000 a thousand, 1:30 ninety; 1e3 is a string because its exponent
// has no sign.
#include "read/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "base/strings.h"

namespace sx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_octal(char c) { return c >= '0' && c <= '7'; }
bool is_binary(char c) { return c == '0' || c == '1'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

template <class Allowed>
bool all_of(std::string_view text, Allowed allowed) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) { return c == '_' || allowed(c); });
}

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

// First letter capital, all capital or none: the three spellings that YAML 1.1 takes.
bool is_word(std::string_view text, std::string_view word) {
  if (lower(text) != word) return false;
  const auto capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const bool rest_small = std::ranges::none_of(text.substr(1), capital);
  const bool all_capital = std::ranges::all_of(text, capital);
  return rest_small || all_capital;
}

bool is_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return is_word(text, word); });
}

// :59 and the like, each of at most two digits below sixty.
bool sexagesimal_parts(std::string_view text) {
  const auto parts = split(text, ':');
  return parts.size() > 1 && std::all_of(parts.begin() + 1, parts.end(), [](std::string_view part) {
           if (part.empty() || part.size() > 2 || !std::ranges::all_of(part, is_digit))
             return false;
           return part.size() == 1 || part.front() <= '5';
         });
}

bool is_integer(std::string_view text) {
  const std::string_view digits = without_sign(text);
  if (digits.empty()) return false;
  if (digits.starts_with("0b")) return all_of(digits.substr(2), is_binary);
  if (digits.starts_with("0x")) return all_of(digits.substr(2), is_hex);
  if (digits == "0") return true;
  if (digits.front() == '0') return all_of(digits.substr(1), is_octal);
  if (digits.front() == '_' || !is_digit(digits.front())) return false;
  const std::size_t colon = digits.find(':');
  if (!all_of(digits.substr(0, colon), is_digit)) return false;
  return colon == std::string_view::npos || sexagesimal_parts(digits);
}

// [eE][-+]digits, or nothing.
bool is_exponent(std::string_view text) {
  if (text.empty()) return true;
  if (text.size() < 3 || (text[0] != 'e' && text[0] != 'E') || (text[1] != '-' && text[1] != '+'))
    return false;
  return std::ranges::all_of(text.substr(2), is_digit);
}

bool is_number(std::string_view text) {
  const std::string_view digits = without_sign(text);
  if (digits == ".inf" || digits == ".Inf" || digits == ".INF") return true;
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return true;
  const std::size_t point = digits.find('.');
  if (point == std::string_view::npos) return false;
  const std::string_view whole = digits.substr(0, point);
  const std::string_view rest = digits.substr(point + 1);
  const std::size_t exponent = std::min(rest.find_first_of("eE"), rest.size());
  const std::string_view fraction = rest.substr(0, exponent);
  const bool plain_fraction = fraction.empty() || all_of(fraction, is_digit);
  if (!plain_fraction || !is_exponent(rest.substr(exponent))) return false;
  if (whole.empty())
    return digits.size() == text.size() && !fraction.empty() && is_digit(fraction.front());
  if (!is_digit(whole.front())) return false;
  if (whole.find(':') == std::string_view::npos) return all_of(whole, is_digit);
  return exponent == rest.size() && all_of(whole.substr(0, whole.find(':')), is_digit) &&
         sexagesimal_parts(whole);
}

std::string without_underscores(std::string_view text) { return replaced(text, "_", ""); }

std::optional<long long> in_base(std::string_view digits, int base) {
  long long value = 0;
  for (const char c : digits) {
    const int digit = is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
    if (value > (std::numeric_limits<long long>::max() - digit) / base) return {};
    value = value * base + digit;
  }
  return value;
}

std::optional<long long> sexagesimal(std::string_view digits) {
  long long value = 0;
  for (const std::string_view part : split(digits, ':')) {
    const auto number = in_base(part, 10);
    if (!number || value > (std::numeric_limits<long long>::max() - *number) / 60) return {};
    value = value * 60 + *number;
  }
  return value;
}

}  // namespace

YamlNode::Type yaml_type(std::string_view plain) {
  if (plain.empty() || plain == "~" || is_word(plain, "null")) return YamlNode::Type::Null;
  if (is_any(plain, {"yes", "no", "true", "false", "on", "off"})) return YamlNode::Type::Bool;
  if (is_integer(plain)) return YamlNode::Type::Integer;
  if (is_number(plain)) return YamlNode::Type::Number;
  return YamlNode::Type::String;
}

bool yaml_truth(std::string_view text) {
  const std::string word = lower(text);
  return word == "yes" || word == "true" || word == "on";
}

std::optional<long long> yaml_integer(std::string_view text) {
  const std::string plain = without_underscores(without_sign(text));
  const std::string_view digits = plain;
  std::optional<long long> value;
  if (digits.starts_with("0b")) {
    value = in_base(digits.substr(2), 2);
  } else if (digits.starts_with("0x")) {
    value = in_base(digits.substr(2), 16);
  } else if (digits.find(':') != std::string_view::npos) {
    value = sexagesimal(digits);
  } else {
    value = in_base(digits, digits.starts_with('0') ? 8 : 10);
  }
  return value && text.starts_with('-') ? std::optional(-*value) : value;
}

std::optional<double> yaml_number(std::string_view text) {
  const double sign = text.starts_with('-') ? -1 : 1;
  std::string plain = lower(without_underscores(without_sign(text)));
  if (plain == ".inf") return sign * std::numeric_limits<double>::infinity();
  if (plain == ".nan") return std::numeric_limits<double>::quiet_NaN();
  double whole = 0;
  if (const std::size_t colon = plain.rfind(':'); colon != std::string::npos) {
    const auto before = sexagesimal(std::string_view(plain).substr(0, colon));
    if (!before) return {};
    whole = static_cast<double>(*before) * 60;
    plain.erase(0, colon + 1);
  }
  const std::size_t point = plain.find('.');
  if (point == 0) plain.insert(0, "0");
  if (const std::size_t at = plain.find('.');
      at != std::string::npos && (at + 1 == plain.size() || !is_digit(plain[at + 1]))) {
    plain.insert(at + 1, "0");
  }
  const auto number = to_number(plain);
  return number ? std::optional(sign * (whole + *number)) : std::nullopt;
}

}  // namespace sx
