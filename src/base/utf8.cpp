// UTF-8 by the table of Unicode 15, section 3.9 (well-formed byte sequences).
#include "base/utf8.h"

namespace sx {
namespace {

unsigned byte(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (byte(text, at) & 0xC0U) == 0x80U;
}

}  // namespace

CodePoint decode_utf8(std::string_view text) {
  const unsigned first = byte(text, 0);
  if (first < 0x80U) return {first, 1, true};
  std::size_t length = 0;
  char32_t value = 0;
  if (first >= 0xC2U && first <= 0xDFU) length = 2, value = first & 0x1FU;
  if (first >= 0xE0U && first <= 0xEFU) length = 3, value = first & 0x0FU;
  if (first >= 0xF0U && first <= 0xF4U) length = 4, value = first & 0x07U;
  if (length == 0) return {};
  for (std::size_t at = 1; at < length; ++at) {
    if (!continues(text, at)) return {};
    value = (value << 6U) | (byte(text, at) & 0x3FU);
  }
  const bool overlong = (length == 3 && value < 0x800U) || (length == 4 && value < 0x10000U);
  const bool surrogate = value >= 0xD800U && value <= 0xDFFFU;
  if (overlong || surrogate || value > 0x10FFFFU) return {};
  return {value, length, true};
}

void append_utf8(std::string& out, char32_t value) {
  const auto put = [&out](char32_t bits) { out += static_cast<char>(bits); };
  if (value < 0x80U) {
    put(value);
  } else if (value < 0x800U) {
    put(0xC0U | (value >> 6U));
    put(0x80U | (value & 0x3FU));
  } else if (value < 0x10000U) {
    put(0xE0U | (value >> 12U));
    put(0x80U | ((value >> 6U) & 0x3FU));
    put(0x80U | (value & 0x3FU));
  } else {
    put(0xF0U | (value >> 18U));
    put(0x80U | ((value >> 12U) & 0x3FU));
    put(0x80U | ((value >> 6U) & 0x3FU));
    put(0x80U | (value & 0x3FU));
  }
}

bool is_valid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text.substr(at));
    if (!point.valid) return false;
    at += point.length;
  }
  return true;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text.substr(at));
    append_utf8(out, point.value);
    at += point.length;
  }
  return out;
}

bool is_control(char32_t point) { return point < 0x20U || (point >= 0x7FU && point < 0xA0U); }

bool rearranges(char32_t point) {
  return (point >= 0x200EU && point <= 0x200FU) || (point >= 0x2028U && point <= 0x202EU) ||
         (point >= 0x2066U && point <= 0x2069U) || point == 0x061CU || point == 0xFEFFU;
}

}  // namespace sx
