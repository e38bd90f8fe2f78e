// A walk over JSON text that builds nothing and believes nothing: strings are passed at once,
// everything between them is looked at byte by byte.
#pragma once

#include <cstddef>
#include <string_view>

#include "gateway/json_string.h"

namespace sx {

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
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
    const std::size_t end = string_end(text_, at_ + 1);
    if (end != std::string_view::npos) {
      at_ = end + 1;
      return text_.substr(begin, at_ - begin);
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

}  // namespace sx
