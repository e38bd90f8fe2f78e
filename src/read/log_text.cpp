// Escape sequences by their grammar (CSI, OSC, two bytes), JSON strings by theirs; both read only
// what they need and leave anything else as it is.
#include "read/log_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace sx {
namespace {

constexpr char kEscape = '\x1b';

// Bytes of the escape sequence at the front; one when it is none that is known.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return 1;
  if (text[1] == '[') {
    for (std::size_t i = 2; i < text.size(); ++i) {
      if (text[i] >= '@' && text[i] <= '~') return i + 1;
      if (text[i] < ' ' || text[i] > '?') return i;
    }
    return text.size();
  }
  if (text[1] == ']') {
    for (std::size_t i = 2; i < text.size(); ++i) {
      if (text[i] == '\a') return i + 1;
      if (text[i] == kEscape && i + 1 < text.size() && text[i + 1] == '\\') return i + 2;
    }
    return text.size();
  }
  return 2;
}

std::optional<std::uint32_t> hex4(std::string_view text) {
  if (text.size() < 4) return {};
  std::uint32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    const std::uint32_t digit = c >= '0' && c <= '9'   ? static_cast<std::uint32_t>(c - '0')
                                : c >= 'a' && c <= 'f' ? static_cast<std::uint32_t>(c - 'a') + 10
                                : c >= 'A' && c <= 'F' ? static_cast<std::uint32_t>(c - 'A') + 10
                                                       : 16;
    if (digit == 16) return {};
    value = value * 16 + digit;
  }
  return value;
}

void append_utf8(std::string& out, std::uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0U | (point >> 6U));
    out += static_cast<char>(0x80U | (point & 0x3FU));
  } else {  // pairs of surrogates are no words that anything here looks for
    out += static_cast<char>(0xE0U | (point >> 12U));
    out += static_cast<char>(0x80U | ((point >> 6U) & 0x3FU));
    out += static_cast<char>(0x80U | (point & 0x3FU));
  }
}

// The string whose opening quote has been read; empty when it does not end.
std::optional<std::string> json_string(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return out;
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) return {};
    switch (text[i]) {
      case 'n':
      case 'r':
      case 't':
        out += ' ';
        break;
      case 'u':
        if (const auto point = hex4(text.substr(i + 1))) {
          append_utf8(out, *point);
          i += 4;
        }
        break;
      default:
        out += text[i];
    }
  }
  return {};
}

}  // namespace

std::string_view without_escapes(std::string_view line, std::string& scratch) {
  std::size_t at = line.find(kEscape);
  if (at == std::string_view::npos) return line;
  scratch.assign(line.substr(0, at));
  while (at < line.size()) {
    if (line[at] == kEscape) {
      at += escape_length(line.substr(at));
      continue;
    }
    const std::size_t next = std::min(line.find(kEscape, at), line.size());
    scratch.append(line.substr(at, next - at));
    at = next;
  }
  return scratch;
}

std::string_view message_of_record(std::string_view line, std::string& scratch) {
  constexpr std::array<std::string_view, 4> kKeys{R"("log":)", R"("message":)", R"("msg":)",
                                                  R"("MESSAGE":)"};
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || line[first] != '{') return line;
  for (const std::string_view key : kKeys) {
    std::size_t at = line.find(key);
    if (at == std::string_view::npos) continue;
    at = line.find_first_not_of(' ', at + key.size());
    if (at == std::string_view::npos || line[at] != '"') continue;
    auto said = json_string(line.substr(at + 1));
    if (!said) continue;
    scratch = std::move(*said);
    while (scratch.ends_with(' ')) scratch.pop_back();
    return scratch;
  }
  return line;
}

}  // namespace sx
