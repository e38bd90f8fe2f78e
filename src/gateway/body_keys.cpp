// Strings are skipped with memchr; everything between them is looked at byte by byte.
#include "gateway/body_keys.h"

#include <boost/json.hpp>
#include <cstring>

namespace sx {
namespace {

constexpr std::size_t kMostModel = 512;  // a longer name names no model

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool end() const { return at_ >= text_.size(); }
  char here() const { return text_[at_]; }
  void next() { ++at_; }
  void spaces() {
    while (!end() && (here() == ' ' || here() == '\n' || here() == '\r' || here() == '\t')) next();
  }
  bool take(char wanted) {
    spaces();
    if (end() || here() != wanted) return false;
    next();
    return true;
  }

  // From a quote: the string with its quotes; empty when it does not end.
  std::string_view string() {
    const std::size_t begin = at_;
    std::size_t from = at_ + 1;
    while (from < text_.size()) {
      const void* found = std::memchr(text_.data() + from, '"', text_.size() - from);
      if (found == nullptr) break;
      const auto quote = static_cast<std::size_t>(static_cast<const char*>(found) - text_.data());
      std::size_t slashes = 0;
      while (quote - slashes > begin + 1 && text_[quote - slashes - 1] == '\\') ++slashes;
      if (slashes % 2 == 0) {
        at_ = quote + 1;
        return text_.substr(begin, at_ - begin);
      }
      from = quote + 1;
    }
    at_ = text_.size();
    return {};
  }

  // Over one value of any kind; where it began and ended. Empty: it does not end.
  std::string_view value() {
    spaces();
    const std::size_t begin = at_;
    std::size_t depth = 0;
    while (!end()) {
      const char c = here();
      if (c == '"') {
        if (string().empty()) return {};
        if (depth == 0) return text_.substr(begin, at_ - begin);
        continue;
      }
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) return text_.substr(begin, at_ - begin);
      next();
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) return text_.substr(begin, at_ - begin);
    }
    return {};
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// A string with its quotes, decoded; empty: it is none, or far too long.
std::optional<std::string> decoded(std::string_view quoted) {
  if (quoted.size() < 2 || quoted.front() != '"' || quoted.size() > kMostModel) return std::nullopt;
  if (quoted.find('\\') == std::string_view::npos)
    return std::string(quoted.substr(1, quoted.size() - 2));
  boost::json::error_code error;
  const auto value = boost::json::parse({quoted.data(), quoted.size()}, error);
  if (error || !value.is_string()) return std::nullopt;
  return std::string(value.get_string());
}

}  // namespace

BodyKeys find_body_keys(std::string_view json) {
  BodyKeys keys;
  Cursor cursor(json);
  if (!cursor.take('{')) return keys;
  if (cursor.take('}')) {
    keys.object = true;
    return keys;
  }
  while (true) {
    cursor.spaces();
    if (cursor.end() || cursor.here() != '"') return keys;
    const std::string_view key = cursor.string();
    if (key.empty() || !cursor.take(':')) return keys;
    const std::string_view value = cursor.value();
    if (value.empty()) return keys;
    const bool escaped = key.find('\\') != std::string_view::npos;
    const std::string name = escaped ? decoded(key).value_or("") : std::string();
    const std::string_view plain = escaped ? std::string_view(name) : key.substr(1, key.size() - 2);
    if (plain == "model") {
      keys.model = decoded(value);
      keys.model_is_text = keys.model.has_value();
    } else if (plain == "stream") {
      keys.stream = value.starts_with("true");
    }
    if (cursor.take(',')) continue;
    keys.object = cursor.take('}');
    return keys;
  }
}

std::optional<std::string> model_of_form(std::string_view body) {
  constexpr std::string_view kName = "name=\"model\"";
  constexpr std::string_view kBlank = "\r\n\r\n";
  const std::size_t at = body.find(kName);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t begin = body.find(kBlank, at);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t from = begin + kBlank.size();
  const std::size_t end = body.find("\r\n", from);
  if (end == std::string_view::npos || end - from > kMostModel) return std::nullopt;
  return std::string(body.substr(from, end - from));
}

}  // namespace sx
