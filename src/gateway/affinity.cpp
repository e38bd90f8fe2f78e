// Sixteen bytes a step, folded by one wide multiplication.
#include "gateway/affinity.h"

#include <cmath>
#include <cstring>

namespace sx {
namespace {

// Odd numbers with their bits well spread (digits of the golden ratio and of square roots).
constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15U;
constexpr std::uint64_t kSecond = 0xbb67ae8584caa73bU;
constexpr std::uint64_t kThird = 0x3c6ef372fe94f82bU;

__extension__ using Wide = unsigned __int128;

std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

std::uint64_t word_at(const char* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

}  // namespace

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t state = folded(seed ^ kFirst, bytes.size() ^ kSecond);
  while (bytes.size() >= 16) {
    state = folded(word_at(bytes.data()) ^ kSecond, word_at(bytes.data() + 8) ^ state ^ kThird);
    bytes.remove_prefix(16);
  }
  char rest[16] = {};
  if (!bytes.empty()) std::memcpy(rest, bytes.data(), bytes.size());
  state = folded(word_at(rest) ^ kThird, word_at(rest + 8) ^ state ^ kFirst);
  return folded(state ^ kFirst, kSecond);
}

double rendezvous_rank(std::uint64_t key, int replica, int weight) {
  const std::uint64_t mixed =
      folded(key ^ kSecond, (static_cast<std::uint64_t>(replica) + 1) * kFirst);
  const std::uint64_t drawn = folded(mixed ^ kThird, kFirst);
  // In (0, 1]: the waiting time of a clock that ticks `weight` times as often.
  const double share = static_cast<double>((drawn >> 11U) + 1) * 0x1p-53;
  return -std::log(share) / weight;
}

}  // namespace sx
