// Any bytes as YAML: read or refused, in bounds, and each span inside the text.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "read/yaml.h"

namespace {

void look(const sx::YamlNode& node, std::size_t size) {
  SX_ASSERT(node.span.begin <= node.span.end && node.span.end <= size);
  SX_ASSERT(node.key_span.begin <= node.key_span.end && node.key_span.end <= size);
  (void)node.boolean();
  (void)node.integer();
  (void)node.number();
  for (const auto& item : node.items) look(item, size);
  for (const auto& [key, value] : node.members) {
    SX_ASSERT(node.find(key) != nullptr);
    look(value, size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sx::Sources sources;
  const int source = sources.add(
      {.name = "a.yaml", .text = std::string(reinterpret_cast<const char*>(data), size)});
  const auto documents = sx::parse_yaml(sources, source);
  if (!documents) {
    SX_ASSERT(!documents.error().what.empty());
    return 0;
  }
  for (const auto& document : *documents) look(document, size);
  return 0;
}
