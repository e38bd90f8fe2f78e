// Any bytes as JSON: no crash; places stay inside the text; what is there can be asked everything.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "read/json.h"

namespace {

void ask(sx::JsonValue value, std::size_t length, int depth) {
  const sx::Span span = value.member_span(0);
  SX_ASSERT(span.begin <= span.end && span.end <= length);
  SX_ASSERT(value.raw().size() <= span.end - span.begin);
  value.integer();
  value.number();
  value.string();
  std::size_t children = 0;
  for (sx::JsonValue child = value.first(); child; child = child.next()) {
    if (depth < 3 && children < 100) ask(child, length, depth + 1);
    ++children;
  }
  SX_ASSERT(children == value.size());
  if (value.is(sx::JsonKind::Object) && value.size() > 0)
    SX_ASSERT(static_cast<bool>(value[value.first().key()]));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = sx::JsonDocument::parse(text);
  if (document) ask(document->root(), size, 0);
  if (const auto fault = sx::JsonDocument::refused_by_python(text))
    SX_ASSERT(fault->begin <= fault->end && fault->end <= size && !fault->what.empty());
  return 0;
}
