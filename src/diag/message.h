// What we say: a sentence in two languages, with typed numbers in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/both.h"
#include "base/bytes.h"

namespace sx {

enum class Language { English, Chinese };

namespace detail {

// Whether each {name} of `some` occurs in `all`.
consteval bool covers(std::string_view all, std::string_view some) {
  for (std::size_t at = 0; at < some.size(); ++at) {
    if (some[at] != '{') continue;
    const std::size_t end = some.find('}', at);
    if (end == std::string_view::npos) return false;
    if (all.find(some.substr(at, end - at + 1)) == std::string_view::npos) return false;
    at = end;
  }
  return true;
}

}  // namespace detail

// English and Chinese, side by side in the file that says them.
// Two languages that disagree about their placeholders do not compile.
class Text {
 public:
  constexpr Text() = default;
  consteval Text(std::string_view english, std::string_view chinese)
      : english_(english), chinese_(chinese) {
    if (english.empty() || chinese.empty()) throw "a text needs both languages";
    if (!detail::covers(english, chinese) || !detail::covers(chinese, english)) {
      throw "the two languages use different placeholders";
    }
  }
  std::string_view in(Language language) const {
    return language == Language::English ? english_ : chinese_;
  }
  bool empty() const { return english_.empty(); }

 private:
  std::string_view english_;
  std::string_view chinese_;
};

// Typed until it is rendered: Bytes as "79.2 GiB", Tokens as "220 864", doubles with at most two
// decimals, integers plain. A Text or a Both is said in the language of the sentence around it.
using Value = std::variant<std::int64_t, double, std::string, Bytes, Tokens, Text, Both>;

struct Argument {
  std::string_view name;
  Value value;

  Argument(std::string_view n, int v) : name(n), value(std::int64_t{v}) {}
  Argument(std::string_view n, std::int64_t v) : name(n), value(v) {}
  Argument(std::string_view n, std::size_t v) : name(n), value(static_cast<std::int64_t>(v)) {}
  Argument(std::string_view n, double v) : name(n), value(v) {}
  Argument(std::string_view n, std::string v) : name(n), value(std::move(v)) {}
  Argument(std::string_view n, std::string_view v) : name(n), value(std::string(v)) {}
  Argument(std::string_view n, const char* v) : name(n), value(std::string(v)) {}
  Argument(std::string_view n, Bytes v) : name(n), value(v) {}
  Argument(std::string_view n, Tokens v) : name(n), value(v) {}
  Argument(std::string_view n, Text v) : name(n), value(v) {}
  Argument(std::string_view n, Both v) : name(n), value(std::move(v)) {}
};

// Names of arguments are string literals.
struct Message {
  Text text;
  std::vector<Argument> arguments;

  Message() = default;
  Message(Text t, std::vector<Argument> a = {})
      : text(t), arguments(std::move(a)) {}  // NOLINT: a Text is a Message
  bool empty() const { return text.empty(); }
};

// The sentence with its placeholders filled. A placeholder without an argument is a bug of ours and
// ends the process.
std::string rendered(const Message& message, Language language);
std::string rendered(const Value& value, Language language);

// For where a sentence becomes a part of another one, or of an Error.
Both in_both(const Message& message);

}  // namespace sx
