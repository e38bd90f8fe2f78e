// Hashes of keys, and the escapes of JSON strings (RFC 8259, section 7).
#include "read/json_keys.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "base/utf8.h"

namespace sx {
namespace {

constexpr int kMostProbes = 256;

std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 32U;
  value *= 0xD6E8FEB86659FD93U;
  value ^= value >> 32U;
  return value;
}

std::uint64_t hash_of(std::string_view key) {
  std::uint64_t hash = key.size();
  while (key.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, key.data(), sizeof word);
    hash = mixed(hash ^ word) + 0x9E3779B97F4A7C15U;
    key.remove_prefix(8);
  }
  std::uint64_t rest = 0;
  if (!key.empty()) std::memcpy(&rest, key.data(), key.size());
  return mixed(hash ^ rest);
}

// The four digits of \uXXXX; the parser has made sure that they are there.
char32_t code_unit(std::string_view text, std::size_t at) {
  unsigned value = 0;
  if (at + 4 <= text.size()) std::from_chars(text.data() + at, text.data() + at + 4, value, 16);
  return value;
}

bool is_high(char32_t unit) { return unit >= 0xD800U && unit <= 0xDBFFU; }
bool is_low(char32_t unit) { return unit >= 0xDC00U && unit <= 0xDFFFU; }

// Appends what \u at `at` means; returns the bytes it takes.
std::size_t append_code_point(std::string& out, std::string_view text, std::size_t at) {
  const char32_t unit = code_unit(text, at + 2);
  if (!is_high(unit)) {
    append_utf8(out, is_low(unit) ? 0xFFFDU : unit);
    return 6;
  }
  const bool pair = text.substr(std::min(at + 6, text.size())).starts_with("\\u");
  const char32_t second = pair ? code_unit(text, at + 8) : 0;
  if (!is_low(second)) {
    append_utf8(out, 0xFFFDU);
    return 6;
  }
  append_utf8(out, 0x10000U + ((unit - 0xD800U) << 10U) + (second - 0xDC00U));
  return 12;
}

char escaped(char letter) {
  switch (letter) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return letter;  // quote, backslash, slash
  }
}

}  // namespace

std::string json_unescaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t backslash = std::min(text.find('\\', at), text.size());
    out += text.substr(at, backslash - at);
    at = backslash;
    if (at + 1 >= text.size()) break;
    if (text[at + 1] == 'u') {
      at += append_code_point(out, text, at);
    } else {
      out += escaped(text[at + 1]);
      at += 2;
    }
  }
  return out;
}

void JsonKeys::start(std::size_t count) {
  const std::size_t size = std::bit_ceil(count * 2);
  slots_.assign(size, Slot{});
  keys_.clear();
  keys_.reserve(count);
  mask_ = size - 1;
}

bool JsonKeys::seen(std::string_view key) {
  const std::uint64_t whole = hash_of(key);
  const auto hash = static_cast<std::uint32_t>(whole >> 32U);
  std::size_t at = whole & mask_;
  for (int probe = 0; probe < kMostProbes; ++probe) {
    Slot& slot = slots_[at];
    if (slot.number == 0) {
      keys_.push_back(key);
      slot = {.hash = hash, .number = static_cast<std::uint32_t>(keys_.size())};
      return false;
    }
    if (slot.hash == hash && keys_[slot.number - 1] == key) return true;
    at = (at + 1) & mask_;
  }
  return false;
}

}  // namespace sx
