// The arithmetic that launch scripts do with ports and GPU numbers.
#include "read/shell_arithmetic.h"

#include "base/strings.h"

namespace sx {
namespace {

class Arithmetic {
 public:
  Arithmetic(std::string_view text, const ShellVariables& variables)
      : text_(text), variables_(variables) {}

  std::optional<long long> value() {
    auto sum = product();
    while (sum && (next() == '+' || next() == '-')) {
      const char sign = take();  // before what follows it: arguments have no order
      sum = applied(sign, *sum, product());
    }
    if (next() != '\0') return {};
    return sum;
  }

 private:
  char next() {
    text_ = trimmed(text_);
    return text_.empty() ? '\0' : text_[0];
  }
  char take() {
    const char c = text_[0];
    text_.remove_prefix(1);
    return c;
  }

  std::optional<long long> product() {
    auto result = term();
    while (result && (next() == '*' || next() == '/' || next() == '%')) {
      const char sign = take();
      result = applied(sign, *result, term());
    }
    return result;
  }

  std::optional<long long> term() {
    next();
    if (text_.starts_with('$')) text_.remove_prefix(1);
    const bool brace = text_.starts_with('{');
    if (brace) text_.remove_prefix(1);
    std::size_t length = 0;
    while (length < text_.size() && is_name(text_[length])) ++length;
    const std::string_view word = text_.substr(0, length);
    text_.remove_prefix(length);
    if (brace) {
      if (!text_.starts_with('}')) return {};
      text_.remove_prefix(1);
    }
    return word_value(word);
  }

  std::optional<long long> word_value(std::string_view word) const {
    if (word.empty()) return {};
    if (word[0] == '0' && word.size() > 1) return {};  // octal and hexadecimal
    if (word[0] >= '0' && word[0] <= '9') return to_integer(word);
    const ShellVariable* variable = variables_.find(word);
    if (variable == nullptr || variable->unknown || variable->elements.empty()) return {};
    const ShellValue& value = variable->elements[0];
    if (value.size() != 1 || !value[0].complete || value[0].text.starts_with('0')) {
      return value.size() == 1 && value[0].complete && value[0].text == "0" ? std::optional(0LL)
                                                                            : std::nullopt;
    }
    return to_integer(value[0].text);
  }

  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  static std::optional<long long> applied(char sign, long long a, std::optional<long long> b) {
    long long result = 0;
    if (!b) return {};
    if (sign == '+')
      return __builtin_add_overflow(a, *b, &result) ? std::nullopt : std::optional(result);
    if (sign == '-')
      return __builtin_sub_overflow(a, *b, &result) ? std::nullopt : std::optional(result);
    if (sign == '*')
      return __builtin_mul_overflow(a, *b, &result) ? std::nullopt : std::optional(result);
    if (*b == 0 || *b == -1) return {};  // -1: the one quotient that overflows
    return sign == '/' ? a / *b : a % *b;
  }

  std::string_view text_;
  const ShellVariables& variables_;
};

}  // namespace

std::optional<long long> arithmetic_value(std::string_view expression,
                                          const ShellVariables& variables) {
  return Arithmetic(expression, variables).value();
}

}  // namespace sx
