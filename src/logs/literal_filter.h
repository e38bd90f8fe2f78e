// Finds a few hundred literals in gigabytes: one 4-gram in every four bytes is looked up in a small
// table, and only what it lets through is compared. Each literal has at least seven bytes, so that
// it meets a probe wherever it lies.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace sx {

inline constexpr std::size_t kShortestLiteral = 7;

class LiteralFilter {
 public:
  struct Literal {
    std::string_view text;
    int owner = 0;
  };
  // `common` are 4-grams of ordinary logs: windows without them are taken where there is a choice.
  LiteralFilter(const std::vector<Literal>& literals, const std::vector<std::string_view>& common);

  // `hit(at, owner)` for each literal that stands in the text, `at` where it begins; it returns
  // where to go on looking. Hits come in the order of their places but for a few bytes.
  template <class Hit>
  void scan(std::string_view text, Hit&& hit) const {
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const char* at = begin;
    while (end - at >= 4) {
      at = next_probe(at, end);
      if (end - at < 4) return;
      const char* const here = at;
      at += 4;
      for (std::uint16_t entry = heads_[slot(here)]; entry != 0; entry = entries_[entry].next) {
        const Entry& one = entries_[entry];
        const char* const from = here - one.offset;
        if (here - begin < one.offset || end - from < static_cast<std::ptrdiff_t>(one.text.size()))
          continue;
        if (std::memcmp(from, one.text.data(), one.text.size()) != 0) continue;
        const char* const onwards = hit(from, one.owner);
        // Probes keep their distance of four from the begin of the text.
        if (onwards > at) at = begin + (onwards - begin + 3) / 4 * 4;
      }
    }
  }

 private:
  struct Entry {
    std::string_view text;
    int offset = 0;  // of the gram within the literal
    int owner = 0;
    std::uint16_t next = 0;  // 0: the chain ends
  };

  static std::uint32_t gram(const char* at) {
    std::uint32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  static std::uint32_t slot_of(std::uint32_t gram) { return (gram * 0x9E3779B1U) >> 16U; }
  static std::uint32_t slot(const char* at) { return slot_of(gram(at)); }

  static std::size_t rarest_window(std::string_view text, const std::vector<std::uint32_t>& cost);

  // The first place from `at` on, four by four, whose gram is in the table.
  const char* next_probe(const char* at, const char* end) const;

  std::vector<std::uint8_t> there_;   // 64 Ki: stays in the second cache
  std::vector<std::uint16_t> heads_;  // 64 Ki: first entry of each slot
  std::vector<Entry> entries_{Entry{}};
};

}  // namespace sx
