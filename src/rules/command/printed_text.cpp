// One table of characters, and when they are a mistake.
#include "rules/command/printed_text.h"

#include "base/utf8.h"

namespace sx::rules {
namespace {

bool is_long_dash(char32_t c) {
  return (c >= 0x2010 && c <= 0x2015) || c == 0x2212 || c == 0xFF0D || c == 0xFE63;
}

bool is_quote(char32_t c) { return (c >= 0x2018 && c <= 0x201F) || c == 0xFF02 || c == 0xFF07; }

bool is_blank(char32_t c) {
  return c == 0xA0 || c == 0x3000 || c == 0x202F || (c >= 0x2000 && c <= 0x200A);
}

bool is_nothing(char32_t c) { return (c >= 0x200B && c <= 0x200D) || c == 0x2060 || c == 0xFEFF; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The apostrophe of a sentence.
bool is_apostrophe(std::string_view text, std::size_t at, const CodePoint& point) {
  const std::size_t behind = at + point.length;
  return point.value == 0x2019 && at > 0 && is_letter(text[at - 1]) && behind < text.size() &&
         is_letter(text[behind]);
}

// What was meant; empty optional: the character stands for itself.
std::optional<std::string_view> meant(char32_t c, std::string& buffer) {
  if (is_long_dash(c)) return "-";
  if (c >= 0x2018 && c <= 0x201B) return "'";
  if (c >= 0x201C && c <= 0x201F) return "\"";
  if (is_blank(c)) return " ";
  if (is_nothing(c)) return "";
  if (c >= 0xFF01 && c <= 0xFF5E) {
    buffer.assign(1, static_cast<char>(c - 0xFEE0));
    return buffer;
  }
  return {};
}

}  // namespace

std::optional<std::string> as_ascii(std::string_view text, std::string* first) {
  std::string out, buffer;
  bool found = false, foreign = false, edge = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text.substr(at));
    const std::string_view raw = text.substr(at, point.length);
    std::optional<std::string_view> ascii;
    if (point.valid && point.value >= 0x80 && !is_apostrophe(text, at, point))
      ascii = meant(point.value, buffer);
    if (ascii) {
      if (!found && first != nullptr) *first = raw;
      found = true;
      const bool at_edge = at == 0 || at + point.length == text.size();
      edge = edge || (at_edge && (is_quote(point.value) || is_blank(point.value)));
      out += *ascii;
    } else {
      foreign = foreign || point.value >= 0x80;
      out += raw;
    }
    at += point.length;
  }
  // Text in another script has such characters of right, but not at its ends.
  if (!found || (foreign && !edge)) return {};
  return out;
}

std::optional<std::string> cleaned(const Word& word) {
  if (word.text.empty()) return {};
  const char32_t first = decode_utf8(word.text).value;
  if (is_long_dash(first)) return {};
  return as_ascii(word.text);
}

}  // namespace sx::rules
