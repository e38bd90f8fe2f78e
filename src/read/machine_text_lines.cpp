// Cleaning of pasted lines. One pass; a line is copied only when it holds escape sequences.
#include "read/machine_text_lines.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/strings.h"

namespace sx {
namespace {

constexpr char kEscape = '\x1b';

// The line without CSI sequences (ESC [ … letter); a lone escape is dropped.
std::string without_escapes(std::string_view line) {
  std::string out;
  out.reserve(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != kEscape) {
      out += line[i];
      continue;
    }
    if (i + 1 >= line.size() || line[i + 1] != '[') continue;
    ++i;
    while (i + 1 < line.size() && (line[i + 1] < '@' || line[i + 1] > '~')) ++i;
    ++i;
  }
  return out;
}

std::size_t find_byte(std::string_view text, char byte) {
  if (text.empty()) return text.npos;
  const void* found = std::memchr(text.data(), byte, text.size());
  if (found == nullptr) return text.npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

bool blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

std::optional<PastedLine> PastedLines::raw() {
  // Empty lines end rows and tables; the last of a run does it for all.
  while (at_ + 1 < text_.size() && text_[at_] == text_[at_ + 1] &&
         (text_[at_] == '\n' || text_[at_] == '\r')) {
    ++at_;
    ++number_;
  }
  if (at_ >= text_.size()) return {};
  const std::string_view rest = text_.substr(at_);
  // Looked for once a line feed, not once a line: a text of returns alone must not cost its square.
  if (feed_ < at_ || at_ == 0) {
    const auto found = find_byte(rest, '\n');
    feed_ = found == rest.npos ? text_.size() : at_ + found;
  }
  const std::size_t feed = feed_ - at_;
  // A progress bar rewrites its line by a lone \r; what follows it is a line of its own.
  const std::size_t end = std::min(find_byte(rest.substr(0, feed), '\r'), feed);
  const std::size_t begin = at_;
  const bool returned = end < feed;
  at_ += end + (end < rest.size() ? 1 : 0);
  if (returned && at_ < text_.size() && text_[at_] == '\n') ++at_;
  ++number_;
  // A message underlines what is written, not the indent in front.
  const std::string_view line = rest.substr(0, end), shown = trimmed(line);
  const std::size_t from = shown.empty() ? 0 : line.find(shown.front());
  return PastedLine{line, number_, Span{source_, begin + from, begin + from + shown.size()}};
}

std::optional<PastedLine> PastedLines::next() {
  while (auto line = raw()) {
    if (line->text.size() > kLongestPastedLine) {
      ++skipped_;
      continue;
    }
    if (find_byte(line->text, kEscape) != line->text.npos) {
      cleaned_ = without_escapes(line->text);
      line->text = cleaned_;
    }
    // Zero bytes come from logs that were cut by a crash; nothing readable is behind them.
    line->text = line->text.substr(0, find_byte(line->text, '\0'));
    return line;
  }
  return {};
}

std::string_view without_marks(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size()) {
    const char c = line[at];
    if (!blank(c) && c != '>' && c != '#' && c != '*' && c != '`' && c != '"' && c != '\'') break;
    ++at;
  }
  if (line.substr(at).starts_with("//")) at += 2;
  while (at < line.size() && blank(line[at])) ++at;
  return line.substr(at);
}

std::string first_word(std::string_view text) {
  text = trimmed(text);
  return std::string(text.substr(0, text.find_first_of(" \t")));
}

bool is_version(std::string_view word) {
  return !word.empty() && word.size() <= 32 && word.find_first_not_of("0123456789.") == word.npos &&
         word.front() != '.' && word.back() != '.';
}

bool is_bus_id(std::string_view word) {
  const auto hex = [](std::string_view part, std::size_t least, std::size_t most) {
    return part.size() >= least && part.size() <= most &&
           part.find_first_not_of("0123456789abcdefABCDEF") == part.npos;
  };
  const auto colon = word.find(':');
  if (colon == word.npos || !hex(word.substr(0, colon), 4, 8)) return false;
  const std::string_view rest = word.substr(colon + 1);
  return rest.size() == 7 && rest[2] == ':' && rest[5] == '.' && hex(rest.substr(0, 2), 2, 2) &&
         hex(rest.substr(3, 2), 2, 2) && hex(rest.substr(6), 1, 1);
}

std::string_view rest_after(std::string_view line, std::string_view label) {
  const auto at = line.find(label);
  if (at == line.npos) return {};
  std::string_view rest = line.substr(at + label.size());
  while (!rest.empty() && blank(rest.front())) rest.remove_prefix(1);
  // Chinese notes put a full-width colon.
  constexpr std::array<std::string_view, 3> kColons{":", "=", "\uff1a"};
  for (const std::string_view colon : kColons) {
    if (!rest.starts_with(colon)) continue;
    rest.remove_prefix(colon.size());
    break;
  }
  return trimmed(rest);
}

std::string word_after(std::string_view line, std::string_view label) {
  return first_word(rest_after(line, label));
}

}  // namespace sx
