// What tables keep by name, found without a walk: formulas and rules ask for the same few hundred
// names many thousand times. Used by knowledge alone.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace sx {

// Names are ours and few, and differ in length, in their first letters or in their last ones: a
// hash of those is as good as one of all letters, and much sooner made.
inline std::size_t hash_of_ends(std::string_view name) {
  constexpr std::size_t kEnd = sizeof(std::uint64_t);
  std::uint64_t head = 0, tail = 0;
  if (name.size() >= kEnd) {
    std::memcpy(&head, name.data(), kEnd);
    std::memcpy(&tail, name.data() + name.size() - kEnd, kEnd);
  } else {
    for (const char letter : name) head = head << 8 | static_cast<unsigned char>(letter);
  }
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
  const std::uint64_t mixed = (head * kOdd ^ tail ^ name.size()) * kOdd;
  return static_cast<std::size_t>(mixed ^ mixed >> 32);
}

// Hashed into places that follow one another, at least twice as many as names. Names must outlive
// it.
template <class T>
class ByName {
 public:
  struct Entry {
    std::string_view name;
    T value;
  };

  const T* find(std::string_view name) const {
    const Entry* entry = entry_of(name);
    return entry == nullptr ? nullptr : &entry->value;
  }

  // What stands under that name; if nothing does, a new one.
  T& of(std::string_view name) {
    if (const Entry* known = entry_of(name))
      return all_[static_cast<std::size_t>(known - all_.data())].value;
    all_.push_back({.name = name, .value = T{}});
    if (2 * all_.size() > places_.size()) {
      places_.assign(2 * places_.size(), 0);
      for (std::size_t i = 0; i + 1 < all_.size(); ++i) put(i);
    }
    put(all_.size() - 1);
    return all_.back().value;
  }

  // In the order in which names came.
  std::vector<Entry>& all() { return all_; }

 private:
  static constexpr std::size_t kFirstPlaces = 512;  // a power of two, as `at` is cut to it

  const Entry* entry_of(std::string_view name) const {
    for (std::size_t at = hash_of_ends(name);; ++at) {
      const std::uint32_t place = places_[at & (places_.size() - 1)];
      if (place == 0) return nullptr;
      if (all_[place - 1].name == name) return &all_[place - 1];
    }
  }

  void put(std::size_t index) {
    std::size_t at = hash_of_ends(all_[index].name);
    while (places_[at & (places_.size() - 1)] != 0) ++at;
    places_[at & (places_.size() - 1)] = static_cast<std::uint32_t>(index + 1);
  }

  std::vector<Entry> all_;
  std::vector<std::uint32_t> places_ = std::vector<std::uint32_t>(kFirstPlaces);  // 0: free
};

}  // namespace sx
