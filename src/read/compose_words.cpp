// Both follow what Compose was seen to do (compose-go's template, go-shellwords 1.0.16).
#include "read/compose_words.h"

#include <algorithm>
#include <utility>

namespace sx {
namespace {

constexpr int kDeepest = 16;  // of defaults in defaults
constexpr std::size_t kMostWords = 65536;
constexpr std::size_t kLongest = std::size_t{4} << 20U;  // of a text with its variables replaced

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

std::size_t name_end(std::string_view text, std::size_t at) {
  if (at >= text.size() || !is_name_start(text[at])) return at;
  while (at < text.size() && is_name(text[at])) ++at;
  return at;
}

// Behind the bracket that closes the one at `open`; npos when there is none.
std::size_t bracket_end(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

class Interpolation {
 public:
  Interpolation(const PlacedText& text, const ComposeVariables& variables)
      : text_(text), variables_(variables), out_(text.source()) {}

  PlacedText run() {
    take(0, text_.size(), 0);
    return std::move(out_);
  }

 private:
  void take(std::size_t begin, std::size_t end, int depth) {
    const std::string_view text = std::string_view(text_.text()).substr(0, end);
    std::size_t at = begin;
    while (at < end && out_.size() < kLongest) {
      if (text[at] != '$') {
        out_.add(text_, at++);
      } else if (at + 1 < end && text[at + 1] == '$') {
        out_.add("$", text_.span(at, at + 2), text_.complete(at, at + 2));
        at += 2;
      } else if (at + 1 < end && text[at + 1] == '{') {
        at = take_braced(text, at, depth);
      } else if (const std::size_t behind = name_end(text, at + 1); behind > at + 1) {
        replace(text.substr(at + 1, behind - at - 1), at, behind);
        at = behind;
      } else {
        out_.add(text_, at++);
      }
    }
  }

  void keep_unknown(std::size_t begin, std::size_t end) {
    out_.add(std::string_view(text_.text()).substr(begin, end - begin), text_.span(begin, end),
             false);
  }

  void replace(std::string_view name, std::size_t begin, std::size_t end) {
    const auto value = variables_(name);
    if (!value) return keep_unknown(begin, end);
    out_.add(*value, text_.span(begin, end), true);
  }

  // What stands inside the brackets stands for all of them.
  void take_inner(std::size_t begin, std::size_t at, std::size_t end, int depth) {
    PlacedText outer = std::exchange(out_, PlacedText(text_.source()));
    take(begin, end - 1, depth + 1);
    std::swap(outer, out_);
    const Span whole = text_.span(at, end);
    for (std::size_t i = 0; i < outer.size(); ++i)
      out_.add(std::string_view(outer.text()).substr(i, 1), whole, outer.complete(i, i + 1));
  }

  // Behind what was taken.
  std::size_t take_braced(std::string_view text, std::size_t at, int depth) {
    const std::size_t end = bracket_end(text, at + 1);
    const std::size_t behind_name = name_end(text, at + 2);
    if (end == std::string_view::npos || behind_name == at + 2 || depth >= kDeepest) {
      const std::size_t stop = std::min(end, text.size());
      keep_unknown(at, stop);
      return stop;
    }
    const auto name = text.substr(at + 2, behind_name - at - 2);
    std::size_t sign = behind_name;
    const bool colon = text[sign] == ':';
    if (colon) ++sign;
    const auto value = variables_(name);
    const bool filled = value && (!colon || !value->empty());
    switch (text[sign]) {
      case '-':
        // A variable of the caller's shell may say otherwise; the file's own default is what it
        // says.
        if (filled) {
          out_.add(*value, text_.span(at, end), true);
        } else {
          take_inner(sign + 1, at, end, depth);
        }
        return end;
      case '+':
        if (filled) take_inner(sign + 1, at, end, depth);
        if (!value) out_.add("${" + std::string(name) + "}", text_.span(at, end), false);
        return end;
      default:
        // ${A:?words}: the words are for whoever forgot to set A.
        if (value) {
          replace(name, at, end);
        } else {
          out_.add("${" + std::string(name) + "}", text_.span(at, end), false);
        }
        return end;
    }
  }

  const PlacedText& text_;
  const ComposeVariables& variables_;
  PlacedText out_;
};

class Splitter {
 public:
  explicit Splitter(const PlacedText& text) : text_(text) { begin(); }

  ComposeWords run() {
    const std::string& text = text_.text();
    std::size_t at = 0;
    for (; at < text.size() && all_.words.size() < kMostWords; ++at) {
      if (escaped_) {
        take_escaped(at);
      } else if (!take(at)) {
        break;
      }
    }
    if (!all_.cut && (escaped_ || single_ || double_ || back_)) all_.readable = false;
    finish(at);
    return std::move(all_);
  }

 private:
  bool quoted() const { return single_ || double_ || back_; }

  void begin() {
    word_ = PlacedWord{.text = PlacedText(text_.source())};
    got_ = false;
  }

  void start(std::size_t at) {
    if (!got_) first_ = at;
    got_ = true;
  }

  void finish(std::size_t end) {
    if (got_) {
      word_.span = text_.span(first_, end);
      word_.literal = text_.literal(first_, end);
      word_.blank = all_.words.empty() ? 0 : blank_before();
      all_.words.push_back(std::move(word_));
      last_end_ = end;
    }
    begin();
  }

  std::size_t blank_before() const {
    const std::size_t here = word_.span.begin;
    const std::size_t before = text_.span(last_end_, last_end_).begin;
    return here > before ? here - before : 0;
  }

  void take_escaped(std::size_t at) {
    escaped_ = false;
    const char c = text_.text()[at];
    const PlacedByte& place = text_.place(at);
    const char meant = c == 't' ? '\t' : c == 'n' ? '\n' : c;
    word_.text.add(meant, {.begin = place.begin,
                           .end = place.end,
                           .literal = place.literal && meant == c,
                           .complete = place.complete});
  }

  void keep(std::size_t at) { word_.text.add(text_, at); }

  // False: Compose stops here.
  bool take(std::size_t at) {
    const char c = text_.text()[at];
    if (c == '\\' && !single_) {
      start(at);
      escaped_ = true;
      return true;
    }
    if (!quoted() && (c == ' ' || c == '\t' || c == '\r' || c == '\n')) {
      finish(at);
      return true;
    }
    if (!quoted() && std::string_view(";&|<>").contains(c)) {
      all_.cut = text_.span(at, at + 1);
      return false;
    }
    if (!quoted() && (c == '(' || c == ')')) {
      all_.readable = false;
      return false;
    }
    start(at);
    if (c == '\'' && !double_ && !back_) {
      single_ = !single_;
    } else if (c == '"' && !single_ && !back_) {
      double_ = !double_;
    } else {
      if (c == '`' && !single_ && !double_) back_ = !back_;
      keep(at);
    }
    return true;
  }

  const PlacedText& text_;
  ComposeWords all_;
  PlacedWord word_;
  std::size_t first_ = 0, last_end_ = 0;
  bool got_ = false, escaped_ = false, single_ = false, double_ = false, back_ = false;
};

}  // namespace

PlacedText compose_interpolated(const PlacedText& text, const ComposeVariables& variables) {
  if (text.text().find('$') == std::string::npos) return text;
  return Interpolation(text, variables).run();
}

ComposeWords compose_words(const PlacedText& text) { return Splitter(text).run(); }

}  // namespace sx
