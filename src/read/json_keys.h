// Which keys of one JSON object were there before; and the text of a string between its quotes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sx {

// Escapes resolved; a surrogate without its other half becomes U+FFFD.
std::string json_unescaped(std::string_view between_quotes);

// A set of keys that lives from one `start` to the next. After many collisions it gives up on a key
// and calls it new, so that no text can make it slow.
class JsonKeys {
 public:
  void start(std::size_t count);
  bool seen(std::string_view key);  // and remembers it

 private:
  // Small, so that the table of a large object stays in the cache; `number` counts keys_ from 1.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = 0;
  };
  std::vector<Slot> slots_;
  std::vector<std::string_view> keys_;
  std::size_t mask_ = 0;
};

}  // namespace sx
