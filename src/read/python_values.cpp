// A reader of the few forms of Python's repr that engines print; no expressions, no names.
#include "read/python_values.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"

namespace sx {
namespace {

constexpr std::size_t kLongest = std::size_t{256} << 10U;
constexpr std::size_t kMostEntries = 2'000;
constexpr int kDeepest = 32;

std::unexpected<Error> no_end() {
  return fail(Error::Kind::Damaged, "the settings in the log do not end", "日志里的参数没有结尾");
}
std::unexpected<Error> too_large() {
  return fail(Error::Kind::TooLarge, "the settings in the log are longer than any engine's",
              "日志里的参数过长");
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      quoted += "\\u00";
      quoted += kDigits[byte >> 4U];
      quoted += kDigits[byte & 15U];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string as_json(const PythonValue& value) {
  using Kind = PythonValue::Kind;
  switch (value.kind) {
    case Kind::None:
      return "null";
    case Kind::True:
      return "true";
    case Kind::False:
      return "false";
    case Kind::Number:
    case Kind::Json:
      return value.text;
    case Kind::Text:
    case Kind::Other:
      return json_text(value.text);
    case Kind::List: {
      std::vector<std::string> items;
      for (const std::string& item : value.items)
        items.push_back(to_number(item) ? item : json_text(item));
      return '[' + join(items, ", ") + ']';
    }
  }
  return "null";
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text.substr(0, kLongest)) {}

  Result<PythonSettings> settings() {
    skip_blanks();
    if (peek() == '{') return entries('}', ':');
    while (is_name(peek())) ++at_;
    if (peek() == '(') return entries(')', '=');
    return fail(Error::Kind::Damaged, "no settings stand there", "此处没有参数");
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool ended() const { return at_ >= text_.size(); }
  void skip_blanks() {
    while (!ended() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  // From the opening bracket to behind the closing one.
  Result<PythonSettings> entries(char close, char between) {
    PythonSettings all;
    ++at_;
    if (++depth_ > kDeepest) return too_large();
    while (true) {
      skip_blanks();
      if (ended()) return text_.size() == kLongest ? too_large() : no_end();
      if (peek() == close) break;
      if (peek() == ',') {
        ++at_;
        continue;
      }
      if (all.size() == kMostEntries) return too_large();
      SX_TRY(PythonValue key, between == ':' ? value() : Result<PythonValue>(name()));
      skip_blanks();
      if (peek() != between) return no_end();
      ++at_;
      SX_TRY(PythonValue held, value());
      all.emplace_back(std::move(key.text), std::move(held));
    }
    ++at_;
    --depth_;
    return all;
  }

  PythonValue name() {
    const std::size_t begin = at_;
    while (is_name(peek())) ++at_;
    if (at_ == begin && !ended()) ++at_;  // never stands still
    return {.kind = PythonValue::Kind::Text,
            .text = std::string(text_.substr(begin, at_ - begin)),
            .items = {}};
  }

  Result<PythonValue> value() {
    skip_blanks();
    const char first = peek();
    if (first == '\'' || first == '"') return quoted();
    if (first == '[' || first == '(') return list(first == '[' ? ']' : ')');
    if (first == '{') return dictionary();
    return bare();
  }

  Result<PythonValue> dictionary() {
    SX_TRY(const PythonSettings inside, entries('}', ':'));
    std::string text = "{";
    for (const auto& [key, held] : inside) {
      if (text.size() > 1) text += ", ";
      text += json_text(key) + ": " + as_json(held);
    }
    return PythonValue{.kind = PythonValue::Kind::Json, .text = text + '}', .items = {}};
  }

  Result<PythonValue> list(char close) {
    PythonValue all{.kind = PythonValue::Kind::List, .text = {}, .items = {}};
    ++at_;
    if (++depth_ > kDeepest) return too_large();
    while (true) {
      skip_blanks();
      if (ended()) return no_end();
      if (peek() == close) break;
      if (peek() == ',') {
        ++at_;
        continue;
      }
      if (all.items.size() == kMostEntries) return too_large();
      SX_TRY(const PythonValue item, value());
      const bool textual = item.kind == PythonValue::Kind::Text ||
                           item.kind == PythonValue::Kind::Number ||
                           item.kind == PythonValue::Kind::Other;
      all.items.push_back(textual ? item.text : as_json(item));
    }
    ++at_;
    --depth_;
    return all;
  }

  Result<PythonValue> quoted() {
    const char quote = text_[at_++];
    PythonValue value{.kind = PythonValue::Kind::Text, .text = {}, .items = {}};
    while (!ended() && text_[at_] != quote) {
      char c = text_[at_++];
      if (c == '\\' && !ended()) {
        c = text_[at_++];
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
      }
      value.text += c;
    }
    if (ended()) return no_end();
    ++at_;
    return value;
  }

  // None, True, a number, <Enum.NAME: 1>, Name(…): up to the comma or bracket that ends it here.
  Result<PythonValue> bare() {
    const std::size_t begin = at_;
    int open = 0;
    for (; !ended(); ++at_) {
      const char c = text_[at_];
      if (c == '(' || c == '[' || c == '{' || c == '<') ++open;
      const bool closes = c == ')' || c == ']' || c == '}' || c == '>';
      if (open == 0 && (closes || c == ',' || c == ':')) break;
      if (closes) --open;
    }
    if (ended()) return no_end();
    if (at_ == begin) ++at_;  // never stands still
    const std::string_view word = trimmed(text_.substr(begin, at_ - begin));
    using Kind = PythonValue::Kind;
    Kind kind = Kind::Other;
    if (word == "None") kind = Kind::None;
    if (word == "True") kind = Kind::True;
    if (word == "False") kind = Kind::False;
    if (to_number(word)) kind = Kind::Number;
    return PythonValue{.kind = kind, .text = std::string(word), .items = {}};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<PythonSettings> parse_python_settings(std::string_view text) {
  return Reader(text).settings();
}

}  // namespace sx
