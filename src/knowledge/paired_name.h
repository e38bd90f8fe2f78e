// "kv-bytes:" and "fp8" as one name to look up: formulas ask for such names many thousand times, so
// it needs no heap.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace sx {

class PairedName {
 public:
  PairedName(std::string_view first, std::string_view second) {
    // No table has a name that long: an empty one is as unknown.
    if (first.size() > letters_.size() || second.size() > letters_.size() - first.size()) return;
    const auto end = std::ranges::copy(first, letters_.begin()).out;
    std::ranges::copy(second, end);
    size_ = first.size() + second.size();
  }

  std::string_view view() const { return {letters_.data(), size_}; }

 private:
  std::array<char, 128> letters_;
  std::size_t size_ = 0;
};

}  // namespace sx
