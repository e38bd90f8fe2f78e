// Any words as a llama-server launch. The first byte chooses the version; a line is a word, one
// that holds
// '$' is not known.
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/strings.h"
#include "engines/llamacpp/llamacpp.h"
#include "knowledge/flags.h"

namespace {

void hold(const sx::Sources& sources, const sx::Span& span) {
  if (span.source < 0) return;
  SX_ASSERT(span.begin <= span.end && span.end <= sources.at(span.source).text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto& read = sx::engine_flags("llamacpp")->read;
  const sx::Version version = read[size == 0 ? 0 : data[0] % read.size()];

  sx::Sources sources;
  sx::Command command;
  command.source = sources.add({.kind = sx::SourceKind::CommandLine, .text = text});
  command.words.push_back({.text = "llama-server", .span = {command.source, 0, 0}});
  std::size_t at = size == 0 ? 0 : 1;
  while (at < size) {
    const std::size_t end = std::min(text.find('\n', at), size);
    const std::string word = text.substr(at, end - at);
    const bool known = word.find('$') == std::string::npos;
    command.words.push_back(
        {.text = word, .span = {command.source, at, end}, .literal = known, .complete = known});
    at = end + 1;
  }
  const auto serve = sx::llamacpp::understand(command, version, sources, {});
  for (const auto& use : serve.flags) {
    hold(sources, use.span);
    hold(sources, use.name_span);
    SX_ASSERT(use.first_word + use.word_count <= command.words.size());
  }
  for (const auto& problem : serve.problems) {
    hold(sources, problem.span);
    SX_ASSERT(problem.first_word + problem.word_count <= command.words.size());
  }
  (void)sx::layout_of(serve);
  (void)serve.gpus_wanted();
  (void)sx::llamacpp::command_for(serve);
  return 0;
}
