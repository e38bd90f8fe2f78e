// What an answer says of its tokens, where that can be had without reading it: at its end.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "knowledge/gateway_paths.h"

namespace sx {

// As much of an answer's end is looked at: an object of usage with all its details, and what
// llama.cpp tells of its times behind it, are shorter.
inline constexpr std::size_t kAnswerEnd = 1024;

struct TokenUsage {
  std::optional<std::uint64_t> prompt, answer;
};

// The last "usage" object at the end of a piece of an answer. A text that only quotes one has its
// quotes escaped and is none.
TokenUsage usage_in(std::string_view piece);
// Looks only where an engine puts it: in the last event of what came at once.
TokenUsage usage_in_events(std::string_view events, Surface surface);
void merge(TokenUsage& into, const TokenUsage& more);

// Events that carry something: neither a comment nor the one that says that nothing follows.
std::uint32_t count_events(std::string_view events);

// The end of an answer that comes in several pieces.
class AnswerTail {
 public:
  void add(std::string_view piece);
  std::string_view text() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, kAnswerEnd> bytes_{};
  std::size_t size_ = 0;
};

}  // namespace sx
