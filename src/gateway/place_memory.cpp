// Sets of eight places; the clock is the number of questions, and may wrap: then the order within a
// set is wrong once, which costs one conversation its place.
#include "gateway/place_memory.h"

#include <algorithm>

namespace sx {

PlaceMemory::PlaceMemory(std::size_t places)
    : sets_(std::max<std::size_t>(1, places / kWays)), places_(sets_ * kWays) {}

std::optional<std::uint64_t> PlaceMemory::find(std::uint64_t key) {
  Place* const set = set_of(key);
  for (std::size_t i = 0; i < kWays; ++i) {
    if (!set[i].taken || set[i].key != key) continue;
    set[i].used = ++clock_;
    return set[i].value;
  }
  return std::nullopt;
}

void PlaceMemory::put(std::uint64_t key, std::uint64_t value) {
  Place* const set = set_of(key);
  Place* oldest = set;
  for (std::size_t i = 0; i < kWays; ++i) {
    Place& place = set[i];
    if (!place.taken || place.key == key) {
      oldest = &place;
      break;
    }
    if (clock_ - place.used > clock_ - oldest->used) oldest = &place;
  }
  *oldest = {.key = key, .value = value, .used = ++clock_, .taken = true};
}

}  // namespace sx
