// Any bytes as a compose file or as Kubernetes manifests: read or refused in both languages, and
// each place inside its text.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "gather/manifest.h"
#include "sys/files.h"

namespace {

void look(const sx::Sources& sources, const sx::Span& span) {
  if (span.source < 0) return;
  SX_ASSERT(span.begin <= span.end && span.end <= sources.at(span.source).text.size());
}

void look(const sx::Sources& sources, const sx::Command& command) {
  look(sources, command.span);
  for (const auto& word : command.words) {
    look(sources, word.span);
    SX_ASSERT(word.span.source < 0 || word.blank <= word.span.begin);
  }
  for (const auto& setting : command.environment) {
    look(sources, setting.span);
    if (setting.whole) look(sources, *setting.whole);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 65536) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  sx::MemoryFiles files;
  files.add("/srv/.env", "TAG=v0.9.1\nMODEL=m\n");
  files.add("/srv/other.yaml", text);
  sx::Outside outside;
  outside.files = &files;
  outside.folder = "/srv";
  sx::Sources sources;
  const int source = sources.add({.kind = sx::SourceKind::File,
                                  .name = "compose.yaml",
                                  .uri = "/srv/compose.yaml",
                                  .text = text});
  const auto read = sx::read_yaml_text(sources, source, outside);
  if (!read) {
    SX_ASSERT(!read.error().what.empty() && !read.error().chinese.empty());
    return 0;
  }
  for (const auto& placed : read->commands) {
    look(sources, placed.command);
    look(sources, placed.around.name_span);
    for (const auto& fault : placed.around.faults) look(sources, fault.span);
    for (const auto& probe : placed.around.probes) look(sources, probe.span);
    if (placed.around.gpu_count.span()) look(sources, *placed.around.gpu_count.span());
    if (placed.around.image_tag.span()) look(sources, *placed.around.image_tag.span());
  }
  for (const auto& note : read->notes) look(sources, note.span);
  return 0;
}
