// Any bytes as an answer: its end is found however it is cut, and its events are counted alike in
// one piece and cut behind each of them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "gateway/events.h"
#include "gateway/usage.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const sx::TokenUsage usage = sx::usage_in(text);
  SX_ASSERT(usage.prompt.value_or(0) <= 1'000'000'000 && usage.answer.value_or(0) <= 1'000'000'000);
  const std::size_t step = size == 0 ? 1 : 1 + data[0];
  sx::AnswerTail tail;
  for (std::size_t at = 0; at < text.size(); at += step) tail.add(text.substr(at, step));
  SX_ASSERT(text.ends_with(tail.text()));
  SX_ASSERT(tail.text().size() == std::min(text.size(), sx::kAnswerEnd));
  SX_ASSERT(sx::usage_in(tail.text()).prompt == usage.prompt);
  // Cut where a relay cuts: behind whole events.
  const std::string_view front = text.substr(
      0, text.find("\n\n") == std::string_view::npos ? text.size() : text.find("\n\n") + 2);
  SX_ASSERT(sx::count_events(front) + sx::count_events(text.substr(front.size())) ==
            sx::count_events(text));
  return 0;
}
