// Any bytes as a systemd unit or a quadlet: read or refused in both languages, and each place
// inside its text.
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 65536) return 0;
  sx::MemoryFiles files;
  files.add("/srv/vllm.env", "A=1\nB=\"two\"\n");
  sx::Outside outside;
  outside.files = &files;
  outside.folder = "/srv";
  sx::Sources sources;
  const int source = sources.add({.kind = sx::SourceKind::File,
                                  .name = "vllm@1.service",
                                  .uri = "/srv/vllm@1.service",
                                  .text = std::string(reinterpret_cast<const char*>(data), size)});
  const auto read = sx::read_unit_text(sources, source, outside);
  if (!read) {
    SX_ASSERT(!read.error().what.empty() && !read.error().chinese.empty());
    return 0;
  }
  for (const auto& placed : read->commands) {
    look(sources, placed.command.span);
    for (const auto& word : placed.command.words) {
      look(sources, word.span);
      SX_ASSERT(word.span.source < 0 || word.blank <= word.span.begin);
    }
    for (const auto& setting : placed.command.environment) {
      look(sources, setting.span);
      if (setting.whole) look(sources, *setting.whole);
    }
    if (placed.around.start_timeout_s.span()) look(sources, *placed.around.start_timeout_s.span());
  }
  for (const auto& note : read->notes) look(sources, note.span);
  return 0;
}
