// The only file that includes toml++. It throws at the first problem; that is caught here.
#include "read/toml.h"

#include <algorithm>
#include <sstream>

namespace sx {
// Some texts bring toml++ to its own assertions (a key that begins with '[' inside an array of
// inline tables). They are problems of the text, not ends of the program; and never assumed away.
struct TomlAsserted {};
[[noreturn]] void toml_asserted();
}  // namespace sx
#undef NDEBUG
#define TOML_ASSERT(condition)               \
  do {                                       \
    if (!(condition)) ::sx::toml_asserted(); \
  } while (false)
#include <toml++/toml.h>

namespace sx {

void toml_asserted() { throw TomlAsserted{}; }

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
constexpr int kMostDepth = 64;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kMostValues = 100'000;

// From lines and columns, which are counted in code points, to bytes: each is looked up, so that a
// text of one long line costs no more than any other.
class Places {
 public:
  Places(std::string_view text, int source) : source_(source) {
    lines_.push_back(text.starts_with(kByteOrderMark) ? 1 : 0);  // toml++ does not count it
    for (std::size_t i = 0; i < text.size(); ++i) {
      if ((static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) continue;
      points_.push_back(static_cast<std::uint32_t>(i));
      if (text[i] == '\n') lines_.push_back(points_.size());
    }
    points_.push_back(static_cast<std::uint32_t>(text.size()));
  }

  std::size_t byte(const toml::source_position& at) const {
    if (at.line == 0 || at.line > lines_.size()) return points_.back();
    const std::size_t column = at.column == 0 ? 0 : at.column - 1;
    return points_[std::min(lines_[at.line - 1] + column, points_.size() - 1)];
  }

  Span span(const toml::source_region& region) const {
    const std::size_t begin = byte(region.begin);
    return {source_, begin, std::max(begin, byte(region.end))};
  }

 private:
  int source_;
  std::vector<std::uint32_t> points_;  // where each code point begins, and the end
  std::vector<std::size_t> lines_;     // the first one of each line
};

class Taker {
 public:
  explicit Taker(const Places& places) : places_(places) {}
  bool too_much() const { return too_much_; }

  TomlValue take(const toml::node& node, int depth) {
    TomlValue value;
    value.span = places_.span(node.source());
    if (depth > kMostDepth || ++count_ > kMostValues) {
      too_much_ = true;
      return value;
    }
    using Kind = TomlValue::Kind;
    if (const auto* table = node.as_table()) {
      for (const auto& [key, inner] : *table)
        value.entries.push_back({.key = std::string(key.str()),
                                 .key_span = places_.span(key.source()),
                                 .value = take(inner, depth + 1)});
      std::ranges::sort(value.entries, {}, [](const auto& entry) { return entry.key_span.begin; });
    } else if (const auto* array = node.as_array()) {
      value.kind = Kind::Array;
      for (const auto& inner : *array) value.items.push_back(take(inner, depth + 1));
    } else if (const auto* text = node.as_string()) {
      value.kind = Kind::String;
      value.text = text->get();
    } else if (const auto* integer = node.as_integer()) {
      value.kind = Kind::Integer;
      value.integer = integer->get();
    } else if (const auto* number = node.as_floating_point()) {
      value.kind = Kind::Float;
      value.number = number->get();
    } else if (const auto* truth = node.as_boolean()) {
      value.kind = Kind::Boolean;
      value.truth = truth->get();
    } else {
      value.kind = Kind::Time;
    }
    return value;
  }

 private:
  const Places& places_;
  std::size_t count_ = 0;
  bool too_much_ = false;
};

// Where the string that begins at `at` ends. One of a single line ends with it at the latest.
std::size_t behind_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool lines = text.substr(at, 3) == three;
  for (at += lines ? 3 : 1; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (lines && text.substr(at, 3) == three) {
      at += 3;
      for (int more = 0; more < 2 && at < text.size() && text[at] == quote; ++more) ++at;
      return at;
    } else if (!lines && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    }
  }
  return text.size();
}

// Looks for the first byte of another script that stands in neither a string nor a comment. TOML
// has none there, and toml++ 3.3 leaves to chance what it does with some of them. A value that is
// no string it walks to its end, over quotes too, before it says what is wrong; a key it does not:
// `a."é"` is good, and `5."é"` must not reach it. So keys and values are told apart.
class StrayLetter {
 public:
  explicit StrayLetter(std::string_view text) : text_(text) {}

  std::optional<std::size_t> find() {
    at_ = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (other(c)) return at_;
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        at_ = behind_string(text_, at_);
      } else if (value_ && !kNoWord.contains(c)) {
        const std::size_t end = std::min(text_.find_first_of(kEndsWord, at_), text_.size());
        while (at_ < end && !other(text_[at_])) ++at_;
      } else {
        pass(c);
        ++at_;
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr std::string_view kEndsWord = " \t\n\v\f\r,]}#", kNoWord = " \t\n\v\f\r,]}[{";
  static bool other(char c) { return static_cast<unsigned char>(c) >= 0x80U; }

  void pass(char c) {
    if (c == '=') value_ = true;
    if (c == '\n' && open_.empty()) value_ = false;
    if (c == ',' && !open_.empty()) value_ = open_.back() == '[';
    if (value_ && (c == '[' || c == '{')) {  // in a key they are those of a table's head
      open_ += c;
      value_ = c == '[';
    }
    if ((c == ']' || c == '}') && !open_.empty()) {
      open_.pop_back();
      value_ = true;  // until a comma or the line's end
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool value_ = false;  // no key is to come
  std::string open_;    // brackets of values
};

// Where brackets or the dots of one key nest beyond all use: toml++ counts no dots, and its tables
// within tables, each on the stack, are more than the stack holds.
std::optional<std::size_t> too_deep(std::string_view text) {
  int brackets = 0, dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '"' || c == '\'') {
      at = behind_string(text, at);
      continue;
    }
    if (c == '[' || c == '{') ++brackets;
    if ((c == ']' || c == '}') && brackets > 0) --brackets;
    if (c == '.')
      ++dots;
    else if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos)
      dots = 0;
    if (brackets > kMostDepth || dots > kMostDepth) return at;
    ++at;
  }
  return std::nullopt;
}

Span letter_at(std::string_view text, int source, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
  return {source, begin, end};
}

}  // namespace

const TomlValue::Entry* TomlValue::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &*found;
}

TomlRead read_toml(const Sources& sources, int source) {
  TomlRead read;
  const std::string& text = sources.at(source).text;
  const auto problem = [&](Both words, Span span) {
    read.table = {};
    read.problem = TomlProblem{.words = std::move(words), .span = span};
  };
  if (text.size() > kMostBytes) {
    problem({"it is longer than 1 MiB", "长度超过 1 MiB"}, {source, 0, 0});
    return read;
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos) {
    problem({"a NUL byte stands in it", "其中有 NUL 字节"}, letter_at(text, source, nul));
    return read;
  }
  if (const auto stray = StrayLetter(text).find()) {
    problem({"outside of quotes only ASCII letters and signs may stand",
             "引号之外只能使用 ASCII 字符，不能有全角标点或其他文字"},
            letter_at(text, source, *stray));
    return read;
  }
  const Both too_much{"it is nested or filled beyond all use", "嵌套过深或内容过多"};
  if (const auto deep = too_deep(text)) {
    problem(too_much, letter_at(text, source, *deep));
    return read;
  }
  const Places places(text, source);
  try {
    const toml::table table = toml::parse(std::string_view(text));
    Taker taker(places);
    read.table = taker.take(table, 0);
    if (taker.too_much()) problem(too_much, {source, 0, 0});
  } catch (const TomlAsserted&) {
    problem({"it cannot be read as TOML", "无法按 TOML 读取"}, {source, 0, 0});
  } catch (const toml::parse_error& error) {
    const std::string words(error.description());
    problem({words, "不是合法的 TOML：" + words}, places.span(error.source()));
  }
  return read;
}

}  // namespace sx
