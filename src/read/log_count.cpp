// Eight bytes at a time, whatever the compiler makes of a loop over one; sixteen where the
// processor is known to have them.
#include "read/log_count.h"

#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace sx {
namespace {

// Rounds until a counter of one byte could run over.
constexpr int kRounds = 255;

#ifdef __SSE2__

constexpr std::size_t kStep = 16;

std::uint64_t counted(const char*& at, const char* end) {
  const __m128i wanted = _mm_set1_epi8('\n');
  __m128i sum = _mm_setzero_si128();
  for (int i = 0; i < kRounds && end - at >= static_cast<std::ptrdiff_t>(kStep); ++i) {
    __m128i bytes;
    std::memcpy(&bytes, at, kStep);
    sum = _mm_sub_epi8(sum, _mm_cmpeq_epi8(bytes, wanted));
    at += kStep;
  }
  const __m128i halves = _mm_sad_epu8(sum, _mm_setzero_si128());
  std::uint64_t parts[2];
  std::memcpy(parts, &halves, sizeof parts);
  return parts[0] + parts[1];
}

#else

constexpr std::size_t kStep = 8;

std::uint64_t counted(const char*& at, const char* end) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kLow = 0x7F * kOnes;
  std::uint64_t sum = 0;
  for (int i = 0; i < kRounds && end - at >= static_cast<std::ptrdiff_t>(kStep); ++i) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, kStep);
    bytes ^= kOnes * '\n';
    sum += (~(((bytes & kLow) + kLow) | bytes | kLow) >> 7U) & kOnes;
    at += kStep;
  }
  std::uint64_t total = 0;
  for (; sum != 0; sum >>= 8U) total += sum & 0xFFU;
  return total;
}

#endif

}  // namespace

std::uint64_t count_line_ends(std::string_view bytes) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  std::uint64_t total = 0;
  while (end - at >= static_cast<std::ptrdiff_t>(kStep)) total += counted(at, end);
  return total + static_cast<std::uint64_t>(std::count(at, end, '\n'));
}

}  // namespace sx
