// yaml-cpp hands out values without the places of their bytes, so values are read a second time
// here: flow scalars by their rules, block scalars by laying the value over the text. A value that
// does not come out the same as the library's has no places inside.
#include "read/yaml_placed.h"

#include <algorithm>
#include <optional>

#include "base/utf8.h"

namespace sx {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::uint32_t small(std::size_t at) { return static_cast<std::uint32_t>(at); }

std::size_t blanks_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

// One scalar in flow style: `text` ends where the scalar ends, closing quote left out.
class FlowScalar {
 public:
  FlowScalar(std::string_view text, std::size_t begin, char quote, PlacedText& out)
      : text_(text), at_(begin), quote_(quote), out_(out) {}

  bool read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_blank(c)) {
        take_blanks();
      } else if (quote_ == '\'' && c == '\'') {
        put("'", 2);
      } else if (quote_ == '"' && c == '\\') {
        if (!take_escape()) return false;
      } else {
        out_.add(c, {.begin = small(at_), .end = small(at_ + 1)});
        ++at_;
      }
    }
    return true;
  }

 private:
  void put(std::string_view value, std::size_t length) {
    out_.add(value, {-1, at_, std::min(at_ + length, text_.size())}, true);
    at_ = std::min(at_ + length, text_.size());
  }

  // Blanks within a line stay; a line end is one space, each further one a line end.
  void take_blanks() {
    const std::size_t end = blanks_end(text_, at_);
    const auto lines = std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                  text_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    if (lines == 0) {
      for (; at_ < end; ++at_) out_.add(text_[at_], {.begin = small(at_), .end = small(at_ + 1)});
      return;
    }
    const std::string value =
        lines == 1 ? std::string(" ") : std::string(static_cast<std::size_t>(lines - 1), '\n');
    put(value, end - at_);
  }

  bool take_escape() {
    if (at_ + 1 >= text_.size()) return false;
    const char c = text_[at_ + 1];
    if (c == '\n' || c == '\r') {
      at_ = blanks_end(text_, at_ + 1);
      return true;
    }
    constexpr std::string_view kNames = "0abtnvfre \"/\\N_LP";
    constexpr std::string_view kValues[] = {
        {"\0", 1}, "\a", "\b", "\t", "\n",       "\v",       "\f",           "\r",          "\x1b",
        " ",       "\"", "/",  "\\", "\xC2\x85", "\xC2\xA0", "\xE2\x80\xA8", "\xE2\x80\xA9"};
    if (const auto known = kNames.find(c); known != std::string_view::npos) {
      put(kValues[known], 2);
      return true;
    }
    const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits == 0 || at_ + 2 + digits > text_.size()) return false;
    char32_t value = 0;
    for (const char digit : text_.substr(at_ + 2, digits)) {
      const int number = digit >= '0' && digit <= '9'   ? digit - '0'
                         : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                         : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                                        : -1;
      if (number < 0) return false;
      value = value * 16 + static_cast<char32_t>(number);
    }
    std::string bytes;
    append_utf8(bytes, value);
    put(bytes, 2 + digits);
    return true;
  }

  std::string_view text_;
  std::size_t at_;
  char quote_;
  PlacedText& out_;
};

// One run of blanks of a block scalar's value, and the run of the text that it came from.
struct Run {
  std::string_view value;
  std::size_t begin = 0, end = 0;  // in the text
  bool at_line_start = false;      // the text's first line of the run is indentation
  bool last = false;               // nothing but blanks follows
};

std::vector<std::size_t> line_ends(std::string_view text, std::size_t begin, std::size_t end) {
  std::vector<std::size_t> ends;
  for (std::size_t at = begin; at < end; ++at) {
    if (text[at] == '\n') ends.push_back(at);
  }
  return ends;
}

// Line by line where both have as many; indentation is what the value lacks on the left.
void lay(std::string_view text, const Run& run, PlacedText& out) {
  const auto ends = line_ends(text, run.begin, run.end);
  const auto wanted = static_cast<std::size_t>(std::ranges::count(run.value, '\n'));
  const bool pairs = run.last ? ends.size() >= wanted : ends.size() == wanted;
  if (!pairs) return out.add(run.value, {-1, run.begin, run.end}, true);
  std::size_t line_begin = run.begin;
  std::size_t next = 0;
  bool indented = run.at_line_start;
  for (std::size_t at = 0; at <= run.value.size();) {
    const std::size_t value_end = std::min(run.value.find('\n', at), run.value.size());
    const std::size_t length = value_end - at;
    const std::size_t line_end = next < ends.size() ? ends[next] : run.end;
    const std::size_t room = line_end - line_begin;
    const std::size_t skipped = indented && room > length ? room - length : 0;
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t place = std::min(line_begin + skipped + i, run.end);
      const bool same = place < line_end && text[place] == run.value[at + i];
      out.add(run.value[at + i],
              {.begin = small(place), .end = small(std::min(place + 1, run.end)), .literal = same});
    }
    if (value_end == run.value.size()) return;
    out.add('\n', {.begin = small(line_end), .end = small(line_end + 1)});
    line_begin = line_end + 1;
    indented = true;
    at = value_end + 1;
    ++next;
  }
}

bool lay_block(std::string_view text, std::size_t begin, std::string_view value, PlacedText& out) {
  std::size_t at = text.find('\n', begin);
  if (at == std::string_view::npos) return value.empty();
  ++at;
  bool at_line_start = true;
  for (std::size_t i = 0; i < value.size();) {
    if (!is_blank(value[i])) {
      if (at_line_start) at = blanks_end(text, at);
      if (at >= text.size() || text[at] != value[i]) return false;
      out.add(value[i], {.begin = small(at), .end = small(at + 1)});
      ++at;
      ++i;
      at_line_start = false;
      continue;
    }
    const std::size_t value_end = blanks_end(value, i);
    const std::size_t text_end = blanks_end(text, at);
    const Run run{.value = value.substr(i, value_end - i),
                  .begin = at,
                  .end = text_end,
                  .at_line_start = at_line_start,
                  .last = value_end == value.size()};
    lay(text, run, out);
    at = text_end;
    i = value_end;
    at_line_start = false;
  }
  return true;
}

bool read_places(std::string_view text, const YamlNode& scalar, YamlStyle style, PlacedText& out) {
  const Span& span = scalar.span;
  switch (style) {
    case YamlStyle::Alias:
      return false;
    case YamlStyle::Literal:
    case YamlStyle::Folded:
      return lay_block(text, span.begin, scalar.text, out);
    case YamlStyle::Plain:
      return FlowScalar(text.substr(0, span.end), span.begin, ' ', out).read();
    case YamlStyle::SingleQuoted:
    case YamlStyle::DoubleQuoted:
      if (span.end < span.begin + 2) return false;
      return FlowScalar(text.substr(0, span.end - 1), span.begin + 1, text[span.begin], out).read();
  }
  return false;
}

}  // namespace

YamlStyle style_of(const Sources& sources, const YamlNode& scalar) {
  const std::string_view text = sources.text(scalar.span);
  if (text.empty()) return YamlStyle::Plain;
  switch (text.front()) {
    case '*':
      return YamlStyle::Alias;
    case '\'':
      return YamlStyle::SingleQuoted;
    case '"':
      return YamlStyle::DoubleQuoted;
    case '|':
      return YamlStyle::Literal;
    case '>':
      return YamlStyle::Folded;
    default:
      return YamlStyle::Plain;
  }
}

PlacedText placed_text(const Sources& sources, const YamlNode& scalar) {
  PlacedText out(scalar.span.source);
  const std::string_view text = sources.at(scalar.span.source).text;
  if (read_places(text, scalar, style_of(sources, scalar), out) && out.text() == scalar.text) {
    return out;
  }
  PlacedText whole(scalar.span.source);
  whole.add(scalar.text, scalar.span, true);
  return whole;
}

Command::Text edits_inside(const Sources& sources, const YamlNode& scalar) {
  switch (style_of(sources, scalar)) {
    case YamlStyle::Literal:
    case YamlStyle::Folded:
      return Command::Text::Plain;
    case YamlStyle::Plain:
    case YamlStyle::SingleQuoted:
    case YamlStyle::DoubleQuoted:
      return Command::Text::InsideQuotes;
    case YamlStyle::Alias:
      return Command::Text::Derived;
  }
  return Command::Text::Derived;
}

PlacedWord placed_word(const Sources& sources, const YamlNode& scalar) {
  return {.text = placed_text(sources, scalar),
          .span = scalar.span,
          .literal = style_of(sources, scalar) != YamlStyle::Alias,
          .quoting = Quoting::Yaml,
          .inside = edits_inside(sources, scalar)};
}

std::size_t end_of(const Sources& sources, const Span& value) {
  const std::string_view text = sources.at(value.source).text;
  return value.end < text.size() && text[value.end] == ':' ? value.end + 1 : value.end;
}

std::string lead_of(const Sources& sources, const Span& at, bool flow) {
  const std::string_view text = sources.at(at.source).text;
  const std::size_t newline = text.rfind('\n', at.begin);
  const std::size_t line = newline == std::string_view::npos || at.begin == 0 ? 0 : newline + 1;
  const std::string_view front = text.substr(line, at.begin - line);
  if (flow) {
    const bool first_of_line = front.find_first_not_of(" \t") == std::string_view::npos;
    return first_of_line && line > 0 ? ",\n" + std::string(front) : ", ";
  }
  // Of `- - x` and `key: - x` nothing can be said.
  if (front.find_first_not_of(" -") != std::string_view::npos) return {};
  return '\n' + std::string(front);
}

std::vector<PlacedWord> list_words(const Sources& sources, const YamlNode& list) {
  std::vector<PlacedWord> words;
  const bool flow = sources.text(list.span).starts_with('[');
  for (const YamlNode& item : list.items) {
    if (item.kind == YamlNode::Kind::List || item.kind == YamlNode::Kind::Map) continue;
    PlacedWord word = placed_word(sources, item);
    word.lead = lead_of(sources, item.span, flow);
    if (flow && item.quoted && sources.text(item.span).starts_with('"'))
      word.quoting = Quoting::Json;
    if (!words.empty() && word.span.begin > words.back().span.end)
      word.blank = word.span.begin - words.back().span.end;
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace sx
