// Which trace a request belongs to, as its client says it (W3C Trace Context) or we do.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/http_head.h"

namespace sx {

inline constexpr std::string_view kTraceParent = "traceparent";

struct TraceContext {
  std::array<std::uint64_t, 2> trace{};
  std::uint64_t parent = 0;  // span of the client; 0: the trace begins here
  std::uint64_t span = 0;    // ours; 0: none is kept
  unsigned flags = 1;        // of the client: 1 sampled, 2 random trace number
  bool sampled() const { return (flags & 1U) != 0; }
  void keep(bool kept) { flags = (flags & ~1U) | (kept ? 1U : 0U); }
};

// "00-…-…-01". Empty: none, or one that has to be taken for none.
std::optional<TraceContext> read_trace_parent(std::string_view value);
// That of a head. Two of them are none.
std::optional<TraceContext> trace_in(const std::vector<HeadField>& fields);
// For the next one in the line, whose parent we are.
std::string trace_parent(const TraceContext& context);

std::string in_hex(std::uint64_t number);  // 16 digits
std::string trace_number(const TraceContext& context);

}  // namespace sx
