// The JSON parser: one pass over the bytes, flat nodes, no recursion.
#include "read/json.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/utf8.h"
#include "read/json_keys.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace sx {
namespace {

constexpr std::size_t kMostText = std::size_t{64} << 20U;
constexpr std::size_t kMostDepth = 200;
constexpr std::size_t kMostNotes = 1000;
constexpr std::uint32_t kFewKeys = 8;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
// A byte that a string cannot simply run over: a quote, a backslash, a control character, no ASCII.
bool stops_string(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || (c & 0x80) != 0;
}

std::size_t next_stop(std::string_view text, std::size_t at) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i blank = _mm_set1_epi8(0x20);
  while (at + 16 <= text.size()) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    // Signed comparison: bytes from 0x80 on are below 0x20 as well.
    const __m128i stops =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                     _mm_cmplt_epi8(bytes, blank));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(stops));
    if (mask != 0) return at + static_cast<std::size_t>(std::countr_zero(mask));
    at += 16;
  }
#endif
  while (at < text.size() && !stops_string(text[at])) ++at;
  return at;
}

}  // namespace

class JsonParser {
 public:
  JsonParser(std::string_view text, std::size_t most_nodes) : text_(text), most_nodes_(most_nodes) {
    document_.text_ = text;
    document_.nodes_.reserve(std::min(most_nodes, text.size() / 32 + 8));
  }

  // Of a text that run() refused, limits apart.
  std::optional<JsonFault> fault() const {
    if (kind_ != Error::Kind::Damaged || what_.empty()) return {};
    std::size_t begin = at_;
    if (begin >= text_.size()) begin = text_.find_last_not_of(" \n\r\t");
    if (begin == std::string_view::npos) begin = 0;
    return JsonFault{.begin = begin, .end = std::min(begin + 1, text_.size()), .what = what_};
  }

  Result<JsonDocument> run() {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    if (!everything()) return fail(kind_, std::move(problem_));
    return std::move(document_);
  }

 private:
  using Node = JsonDocument::Node;
  struct Open {
    std::uint32_t node;
    std::uint32_t last;  // its newest child; 0: none yet
  };

  bool everything() {
    if (!skip_blanks()) return false;
    if (at_end()) return wrong({"the text is empty", "文本是空的"});
    if (!value(0, 0)) return false;
    while (!open_.empty()) {
      if (!step()) return false;
    }
    if (!skip_blanks()) return false;
    return at_end() ||
           wrong({"something follows after the end of the value", "值结束之后还有内容"});
  }

  // The next member or element of the innermost open list, or its end.
  bool step() {
    const Open& top = open_.back();
    const Node& list = document_.nodes_[top.node];
    const bool object = list.kind == JsonKind::Object;
    const char closer = object ? '}' : ']';
    if (!skip_blanks()) return false;
    if (at_end()) return never_closed(list);
    if (text_[at_] == closer) return close();
    if (list.count > 0) {
      if (text_[at_] != ',')
        return wrong(object ? Both{"a comma or } is missing", "缺少逗号或 }"}
                            : Both{"a comma or ] is missing", "缺少逗号或 ]"});
      const std::size_t comma = at_++;
      if (!skip_blanks()) return false;
      if (at_end()) return never_closed(list);
      if (text_[at_] == closer) {
        note(JsonNote::Kind::TrailingComma, comma, comma + 1);
        return close();
      }
    }
    return object ? member() : value(0, 0);
  }

  bool member() {
    const std::size_t begin = at_;
    if (text_[at_] != '"') return wrong({"a name in quotes is missing", "缺少带引号的名称"});
    if (!string()) return false;
    const std::size_t end = at_;
    if (!skip_blanks()) return false;
    if (at_end() || text_[at_] != ':')
      return wrong({"a colon is missing after the name", "名称之后缺少冒号"});
    ++at_;
    if (!skip_blanks()) return false;
    return value(begin, end);
  }

  bool value(std::size_t key_begin, std::size_t key_end) {
    if (at_end())
      return wrong({"the text ends where a value should stand", "文本在应有值的地方结束"});
    if (document_.nodes_.size() >= most_nodes_) {
      return too_large({"more than " + std::to_string(most_nodes_) + " values",
                        "超过 " + std::to_string(most_nodes_) + " 个值"});
    }
    const auto index = static_cast<std::uint32_t>(document_.nodes_.size());
    Node node;
    node.begin = static_cast<std::uint32_t>(at_);
    node.key_begin = static_cast<std::uint32_t>(key_begin);
    node.key_end = static_cast<std::uint32_t>(key_end);
    const bool opens = text_[at_] == '{' || text_[at_] == '[';
    if (opens) {
      node.kind = text_[at_++] == '{' ? JsonKind::Object : JsonKind::Array;
    } else if (!scalar(node.kind)) {
      return false;
    }
    node.end = static_cast<std::uint32_t>(at_);
    document_.nodes_.push_back(node);
    link(index);
    if (!opens) return true;
    if (open_.size() >= kMostDepth)
      return too_large({"more than 200 lists inside each other", "嵌套超过 200 层"});
    open_.push_back({.node = index, .last = 0});
    return true;
  }

  void link(std::uint32_t index) {
    if (open_.empty()) return;
    Open& top = open_.back();
    if (top.last != 0) document_.nodes_[top.last].next = index;
    top.last = index;
    ++document_.nodes_[top.node].count;
  }

  bool close() {
    const std::uint32_t index = open_.back().node;
    open_.pop_back();
    Node& list = document_.nodes_[index];
    list.end = static_cast<std::uint32_t>(++at_);
    if (list.kind == JsonKind::Object && list.count > 1) note_repeated_keys(index);
    return true;
  }

  void note_repeated_keys(std::uint32_t object) {
    const auto& nodes = document_.nodes_;
    if (nodes[object].count <= kFewKeys) return compare_few_keys(object);
    keys_.start(nodes[object].count);
    std::uint32_t member = object + 1;
    for (std::uint32_t left = nodes[object].count; left > 0; --left) {
      const Node& node = nodes[member];
      if (keys_.seen(key_of(node)))
        note(JsonNote::Kind::DuplicateKey, node.key_begin, node.key_end);
      member = node.next;
    }
  }

  // Each with each: cheaper than a table.
  void compare_few_keys(std::uint32_t object) {
    const auto& nodes = document_.nodes_;
    for (std::uint32_t later = nodes[object + 1].next; later != 0; later = nodes[later].next) {
      for (std::uint32_t earlier = object + 1; earlier != later; earlier = nodes[earlier].next) {
        if (key_of(nodes[earlier]) != key_of(nodes[later])) continue;
        note(JsonNote::Kind::DuplicateKey, nodes[later].key_begin, nodes[later].key_end);
        break;
      }
    }
  }

  std::string_view key_of(const Node& node) const {
    return text_.substr(node.key_begin + 1, node.key_end - node.key_begin - 2);
  }

  bool scalar(JsonKind& kind) {
    const char c = text_[at_];
    if (c == '"') return kind = JsonKind::String, string();
    if (c == 't' || c == 'f') return kind = JsonKind::Bool, word(c == 't' ? "true" : "false");
    if (c == 'n') return kind = JsonKind::Null, word("null");
    kind = JsonKind::Number;
    if (c == 'N') return not_finite("NaN");
    if (c == 'I') return not_finite("Infinity");
    if (text_.substr(at_).starts_with("-I")) return not_finite("-Infinity");
    if (c == '-' || is_digit(c)) return number();
    return wrong({"a value is missing", "缺少值"});
  }

  bool word(std::string_view wanted) {
    if (!text_.substr(at_).starts_with(wanted)) return wrong({"a value is missing", "缺少值"});
    at_ += wanted.size();
    return true;
  }

  bool not_finite(std::string_view wanted) {
    const std::size_t begin = at_;
    if (!word(wanted)) return false;
    note(JsonNote::Kind::NotFinite, begin, at_);
    return true;
  }

  bool digits() {
    if (at_end() || !is_digit(text_[at_])) return wrong({"a digit is missing", "缺少数字"});
    while (!at_end() && is_digit(text_[at_])) ++at_;
    return true;
  }

  bool number() {
    if (text_[at_] == '-') ++at_;
    if (!at_end() && text_[at_] == '0') {
      ++at_;
      if (!at_end() && is_digit(text_[at_]))
        return wrong({"a number begins with 0", "数字以 0 开头"});
    } else if (!digits()) {
      return false;
    }
    if (!at_end() && text_[at_] == '.') {
      ++at_;
      if (!digits()) return false;
    }
    if (at_end() || (text_[at_] != 'e' && text_[at_] != 'E')) return true;
    ++at_;
    if (!at_end() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    return digits();
  }

  // From its opening quote past its closing one.
  bool string() {
    const std::size_t begin = at_++;
    while (true) {
      at_ = next_stop(text_, at_);
      if (at_end())
        return at_ = begin,
               wrong({"the quote that opens here is never closed", "此处的引号没有结束"});
      const char c = text_[at_];
      if (c == '"') return ++at_, true;
      if (c == '\\') {
        if (!escape()) return false;
      } else if ((c & 0x80) != 0) {
        other_letters();
      } else {
        return wrong(
            {"a control character or line end stands inside a string", "字符串中有控制字符或换行"});
      }
    }
  }

  bool escape() {
    if (at_ + 1 >= text_.size())
      return wrong({"the text ends inside a string", "文本在字符串中间结束"});
    const char c = text_[at_ + 1];
    if (c != 'u') {
      if (std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos) {
        return wrong({"a backslash stands before a letter that it cannot stand before",
                      "反斜杠后面的字母不能转义"});
      }
      at_ += 2;
      return true;
    }
    for (std::size_t digit = at_ + 2; digit < at_ + 6; ++digit) {
      const bool hex = digit < text_.size() &&
                       (is_digit(text_[digit]) || (text_[digit] >= 'a' && text_[digit] <= 'f') ||
                        (text_[digit] >= 'A' && text_[digit] <= 'F'));
      if (!hex) return wrong({"\\u needs four hexadecimal digits", "\\u 之后要有四个十六进制数字"});
    }
    at_ += 6;
    return true;
  }

  void other_letters() {
    while (!at_end() && (text_[at_] & 0x80) != 0) {
      const CodePoint point = decode_utf8(text_.substr(at_));
      if (!point.valid) note(JsonNote::Kind::NotUtf8, at_, at_ + 1);
      at_ += point.length;
    }
  }

  // Blanks and comments.
  bool skip_blanks() {
    while (true) {
      while (!at_end() && is_blank(text_[at_])) ++at_;
      if (at_ + 1 >= text_.size() || text_[at_] != '/') return true;
      if (!comment()) return false;
    }
  }

  bool comment() {
    const std::size_t begin = at_;
    if (text_[at_ + 1] == '/') {
      at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    } else if (text_[at_ + 1] == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos)
        return wrong({"the comment that opens here is never closed", "此处的注释没有结束"});
      at_ = end + 2;
    } else {
      return wrong({"a value is missing", "缺少值"});
    }
    note(JsonNote::Kind::Comment, begin, at_);
    return true;
  }

  bool at_end() const { return at_ >= text_.size(); }

  void note(JsonNote::Kind kind, std::size_t begin, std::size_t end) {
    if (document_.notes_.size() < kMostNotes)
      document_.notes_.push_back({.kind = kind, .begin = begin, .end = end});
  }

  bool never_closed(const Node& list) {
    const Source seen{.text = std::string(text_.substr(0, list.begin))};
    const std::string opener = list.kind == JsonKind::Object ? "{" : "[";
    const std::string line = std::to_string(place_of(seen, list.begin).line);
    return wrong({"the text ends, and the " + opener + " of line " + line + " is still open",
                  "文本已结束，而第 " + line + " 行的 " + opener + " 还没有闭合"});
  }

  bool wrong(const Both& what) {
    const Source seen{.text = std::string(text_.substr(0, at_))};
    const Place place = place_of(seen, at_);
    const std::string line = std::to_string(place.line);
    const std::string column = std::to_string(place.column);
    what_ = what;
    problem_ = {"line " + line + ", column " + column + ": " + what.english,
                "第 " + line + " 行第 " + column + " 列：" + what.chinese};
    return false;
  }

  bool too_large(const Both& what) {
    kind_ = Error::Kind::TooLarge;
    return wrong(what);
  }

  std::string_view text_;
  std::size_t most_nodes_;
  std::size_t at_ = 0;
  JsonDocument document_;
  std::vector<Open> open_;
  JsonKeys keys_;
  Error::Kind kind_ = Error::Kind::Damaged;
  Both problem_, what_;  // with line and column, and without
};

std::optional<JsonFault> JsonDocument::fault_of(std::string_view text) {
  if (text.size() > kMostText) return {};
  JsonParser parser(text, kMostNodes);
  return parser.run() ? std::nullopt : parser.fault();
}

Result<JsonDocument> JsonDocument::parse(std::string_view text, std::size_t most_nodes) {
  if (text.size() > kMostText)
    return fail(Error::Kind::TooLarge, "the text is longer than 64 MiB", "文本超过 64 MiB");
  return JsonParser(text, std::min(most_nodes, kMostNodes)).run();
}

}  // namespace sx
