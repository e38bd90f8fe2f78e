// Any bytes as a condition of a constraint table: no crash, children come before their parents, and
// texts stay inside what was read.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "knowledge/condition.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string problem;
  const auto condition = sx::Condition::read(text, &problem);
  SX_ASSERT(condition.has_value() || !problem.empty());
  if (!condition) return 0;
  for (std::size_t at = 0; at < condition->nodes().size(); ++at) {
    const auto& node = condition->node(at);
    for (const std::size_t child : node.children) SX_ASSERT(child < at);
    if (node.text.empty()) continue;
    SX_ASSERT(node.text.data() >= text.data());
    SX_ASSERT(node.text.data() + node.text.size() <= text.data() + text.size());
  }
  return 0;
}
