// Any bytes as TOML and as a deployment file: read or refused with words, and every place lies
// inside the text.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "read/toml.h"
#include "run/deployment_file.h"

namespace {

void stands_inside(const sx::Span& span, std::size_t size) {
  SX_ASSERT(span.begin <= span.end && span.end <= size);
}

void look(const sx::TomlValue& value, std::size_t size) {
  stands_inside(value.span, size);
  for (const auto& item : value.items) look(item, size);
  for (const auto& entry : value.entries) {
    stands_inside(entry.key_span, size);
    SX_ASSERT(value.find(entry.key) != nullptr);
    look(entry.value, size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sx::Sources sources;
  const int source = sources.add({.kind = sx::SourceKind::File,
                                  .name = "sextant.toml",
                                  .text = std::string(reinterpret_cast<const char*>(data), size)});
  const auto read = sx::read_toml(sources, source);
  look(read.table, size);
  if (read.problem) {
    stands_inside(read.problem->span, size);
    SX_ASSERT(!read.problem->words.english.empty() && !read.problem->words.chinese.empty());
  }
  const auto deployment = sx::read_deployment_file(sources, source);
  SX_ASSERT(!read.problem || !deployment.faults.empty());
  for (const auto& fault : deployment.faults) {
    for (const auto& label : fault.labels) stands_inside(label.span, size);
  }
  return 0;
}
