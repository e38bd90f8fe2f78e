// Strictly as the recommendation has it: what is not of its form begins a new trace.
#include "gateway/trace_context.h"

#include <fmt/format.h>

#include <charconv>

namespace sx {
namespace {

// version 2, trace 32, parent 16, flags 2, and a dash between any two
constexpr std::size_t kSize = 55;
constexpr unsigned kNoVersion = 0xff;
constexpr unsigned kKnownFlags = 3;

template <class Number>
bool take_hex(std::string_view digits, Number& number) {
  if (digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) return false;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return read.ec == std::errc() && read.ptr == digits.data() + digits.size();
}

}  // namespace

std::optional<TraceContext> read_trace_parent(std::string_view value) {
  if (value.size() < kSize || value[2] != '-' || value[35] != '-' || value[52] != '-')
    return std::nullopt;
  TraceContext context;
  unsigned version = 0;
  const bool good = take_hex(value.substr(0, 2), version) &&
                    take_hex(value.substr(3, 16), context.trace[0]) &&
                    take_hex(value.substr(19, 16), context.trace[1]) &&
                    take_hex(value.substr(36, 16), context.parent) &&
                    take_hex(value.substr(53, 2), context.flags);
  // Of a later version only what this one knows is read.
  const bool ends = value.size() == kSize || (version > 0 && value[kSize] == '-');
  if (!good || !ends || version == kNoVersion) return std::nullopt;
  if ((context.trace[0] | context.trace[1]) == 0 || context.parent == 0) return std::nullopt;
  context.flags &= kKnownFlags;
  return context;
}

std::optional<TraceContext> trace_in(const std::vector<HeadField>& fields) {
  const HeadField* found = nullptr;
  for (const HeadField& field : fields) {
    if (field.name.size() != kTraceParent.size() || !same_name(field.name, kTraceParent)) continue;
    if (found != nullptr) return std::nullopt;
    found = &field;
  }
  return found == nullptr ? std::nullopt : read_trace_parent(found->value);
}

std::string trace_parent(const TraceContext& context) {
  return fmt::format("00-{}-{}-{:02x}", trace_number(context), in_hex(context.span), context.flags);
}

std::string in_hex(std::uint64_t number) { return fmt::format("{:016x}", number); }

std::string trace_number(const TraceContext& context) {
  return in_hex(context.trace[0]) + in_hex(context.trace[1]);
}

}  // namespace sx
