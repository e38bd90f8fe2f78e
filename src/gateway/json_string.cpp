// Text without quotes in it is passed by memchr. From the first escaped quote on, 64 bytes are
// looked at together: a long prompt in JSON has thousands of escapes, and a branch for each would
// cost more than all the rest of relaying it.
#include "gateway/json_string.h"

#include <bit>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace sx {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

std::size_t next_quote(std::string_view text, std::size_t from) { return text.find('"', from); }

bool escaped(std::string_view text, std::size_t from, std::size_t at) {
  std::size_t slashes = 0;
  while (at - slashes > from && text[at - slashes - 1] == '\\') ++slashes;
  return slashes % 2 == 1;
}

#ifdef __SSE2__
// A bit for each of 64 bytes that is the wanted one.
std::uint64_t where(const char* bytes, char wanted) {
  const __m128i all = _mm_set1_epi8(wanted);
  std::uint64_t bits = 0;
  for (unsigned part = 0; part < 4; ++part) {
    const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + part * 16));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(some, all)));
    bits |= std::uint64_t{mask} << (part * 16);
  }
  return bits;
}

// Of runs of backslashes those of odd length escape the byte behind them. Adding a run's first bit
// to the run carries to that byte; whether it lies at an even place tells the length's parity.
class Escapes {
 public:
  // The escaped ones among 64 bytes, which follow those of the last call.
  std::uint64_t of(std::uint64_t slashes) {
    constexpr std::uint64_t kEven = 0x5555555555555555;
    const std::uint64_t first = carried_;
    slashes &= ~first;  // an escaped backslash begins no run
    const std::uint64_t begins = slashes & ~(slashes << 1U);
    const std::uint64_t behind_even = (slashes + (begins & kEven)) & ~slashes;
    std::uint64_t sum = 0;
    carried_ = __builtin_add_overflow(slashes, begins & ~kEven, &sum) ? 1 : 0;
    return (behind_even & ~kEven) | (sum & ~slashes & kEven) | first;
  }

 private:
  std::uint64_t carried_ = 0;  // 1: the next byte is escaped
};

// Like string_end(), up to the last whole 64 bytes; then where to go on, which is not escaped.
struct Found {
  std::size_t quote = kNone, from = 0;
};
Found find_in_blocks(std::string_view text, std::size_t from) {
  Escapes escapes;
  std::size_t at = from;
  for (; at + 64 <= text.size(); at += 64) {
    const std::uint64_t hidden = escapes.of(where(text.data() + at, '\\'));
    const std::uint64_t quotes = where(text.data() + at, '"') & ~hidden;
    if (quotes != 0) return {.quote = at + static_cast<std::size_t>(std::countr_zero(quotes))};
  }
  // Back before the backslashes that may reach over the end of the last block.
  while (at > from && text[at - 1] == '\\') --at;
  return {.from = at};
}
#else
struct Found {
  std::size_t quote = kNone, from = 0;
};
Found find_in_blocks(std::string_view, std::size_t from) { return {.from = from}; }
#endif

}  // namespace

std::size_t string_end(std::string_view text, std::size_t from) {
  const std::size_t first = next_quote(text, from);
  if (first == kNone || !escaped(text, from, first)) return first;
  const Found found = find_in_blocks(text, first + 1);
  if (found.quote != kNone) return found.quote;
  std::size_t at = next_quote(text, found.from);
  while (at != kNone && escaped(text, found.from, at)) at = next_quote(text, at + 1);
  return at;
}

}  // namespace sx
