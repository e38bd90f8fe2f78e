// Line breaking for two kinds of text at once: words with blanks between, and Han text without.
#include "text/wrap.h"

#include <algorithm>

#include "base/utf8.h"
#include "text/columns.h"

namespace sx {
namespace {

constexpr std::u32string_view kClosing = U"，。、：；！？）》」』】〕〉”’…—·,.;:!?)]}%";
constexpr std::u32string_view kOpening = U"（《「『【〔〈“‘([{";
constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "GB", "ms", "s", "%"};

// What is never broken: a word, or one Han character with the punctuation that clings to it.
struct Unit {
  std::string_view text;
  std::size_t blanks = 0;  // before it
};

bool digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view last_word(std::string_view text) {
  const auto blank = text.find_last_of(' ');
  return blank == std::string_view::npos ? text : text.substr(blank + 1);
}

// The blank in "220 864" or "79.2 GiB" is part of the number.
bool blank_holds(std::string_view before, std::string_view after) {
  if (before.empty() || before.back() < '0' || before.back() > '9') return false;
  std::size_t end = 0;
  while (end < after.size() && (after[end] >= '0' && after[end] <= '9')) ++end;
  const bool ended = end == after.size() || after[end] == ' ' || (after[end] & 0x80) != 0 ||
                     kClosing.find(static_cast<char32_t>(after[end])) != std::u32string_view::npos;
  if (end == 3 && ended) {
    const std::string_view word = last_word(before);
    const auto start = word.find_first_of("0123456789");
    return word.size() - start <= 3 && digits(word.substr(start));
  }
  return std::ranges::any_of(kUnits, [&](std::string_view unit) {
    if (!after.starts_with(unit)) return false;
    const std::string_view rest = after.substr(unit.size());
    return rest.empty() ||
           !((rest[0] >= 'a' && rest[0] <= 'z') || (rest[0] >= 'A' && rest[0] <= 'Z') ||
             (rest[0] >= '0' && rest[0] <= '9'));
  });
}

bool may_break(char32_t before, char32_t after) {
  if (columns(after) == 0) return false;
  if (columns(before) != 2 && columns(after) != 2) return false;
  return kOpening.find(before) == std::u32string_view::npos &&
         kClosing.find(after) == std::u32string_view::npos;
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// The blank of "220 864" stays inside its unit; every other blank ends one.
std::vector<Unit> units_of(std::string_view text) {
  std::vector<Unit> units;
  std::size_t begin = 0;
  std::size_t blanks = 0;
  char32_t before = 0;
  const auto end_unit = [&](std::size_t at) {
    if (at > begin) units.push_back({text.substr(begin, at - begin), blanks}), blanks = 0;
    begin = at;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (is_blank(rest[0])) {
      if (at > begin && rest[0] == ' ' &&
          blank_holds(text.substr(begin, at - begin), rest.substr(1))) {
        before = U' ', ++at;
        continue;
      }
      end_unit(at);
      begin = ++at;
      ++blanks;
      before = 0;
      continue;
    }
    const CodePoint point = decode_utf8(rest);
    if (at > begin && before != 0 && may_break(before, point.value)) end_unit(at);
    if (columns(point.value) > 0)
      before = point.value;  // a combining mark belongs to what it stands on
    at += point.length;
  }
  end_unit(text.size());
  return units;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t cells) {
  std::vector<std::string> lines;
  std::size_t taken = 0;
  for (const Unit& unit : units_of(text)) {
    const std::size_t width = columns(unit.text);
    if (lines.empty() || taken + unit.blanks + width > cells) {
      lines.emplace_back(unit.text);
      taken = width;
      continue;
    }
    lines.back().append(unit.blanks, ' ').append(unit.text);
    taken += unit.blanks + width;
  }
  return lines;
}

}  // namespace sx
