// Any bytes as the trace that a client names: what is read is written as it was, and never longer.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "gateway/trace_context.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto context = sx::read_trace_parent(bytes);
  if (!context) return 0;
  context->span = context->parent;
  const std::string written = sx::trace_parent(*context);
  SX_ASSERT(written.substr(3, 49) == bytes.substr(3, 49));
  const auto again = sx::read_trace_parent(written);
  SX_ASSERT(again.has_value());
  SX_ASSERT(again->trace == context->trace && again->parent == context->parent);
  SX_ASSERT(again->flags == context->flags);
  return 0;
}
