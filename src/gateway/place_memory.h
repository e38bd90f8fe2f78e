// Where conversations, sessions and stored answers were last, and who had which instructions: one
// number a key. Bounded: within one set of eight, what was not asked for the longest goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sx {

class PlaceMemory {
 public:
  explicit PlaceMemory(std::size_t places);

  std::optional<std::uint64_t> find(std::uint64_t key);
  void put(std::uint64_t key, std::uint64_t value);

 private:
  struct Place {
    std::uint64_t key = 0, value = 0;
    std::uint32_t used = 0;
    bool taken = false;
  };
  static constexpr std::size_t kWays = 8;
  Place* set_of(std::uint64_t key) { return places_.data() + (key % sets_) * kWays; }

  std::size_t sets_;
  std::vector<Place> places_;
  std::uint32_t clock_ = 0;
};

}  // namespace sx
