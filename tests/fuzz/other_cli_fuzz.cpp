// Any words as a launch of an engine that is only recognised: a line is a word, NAME=value a
// variable; what is read stays within the words, and a translation is a bounded list of them.
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/strings.h"
#include "engines/other/other.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 65536) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  sx::Sources sources;
  sx::Command command;
  command.source = sources.add({.kind = sx::SourceKind::CommandLine, .text = text});
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string word = text.substr(at, end - at);
    const sx::Span span{command.source, at, end};
    const auto equals = word.find('=');
    if (command.words.empty() && equals != std::string::npos && equals > 0) {
      command.environment.push_back(
          {.name = word.substr(0, equals), .value = word.substr(equals + 1), .span = span});
    } else {
      command.words.push_back(
          {.text = word, .span = span, .complete = word.find('$') == std::string::npos});
    }
    at = end + 1;
  }
  if (!sx::other::find_launch(command.words)) return 0;
  const auto serve = sx::other::engine.understand(command, {}, sources, {});
  SX_ASSERT(sx::find_other_engine(serve.engine) != nullptr);
  for (const auto& use : serve.flags) {
    SX_ASSERT(use.first_word + use.word_count <= command.words.size());
    SX_ASSERT(use.span.begin <= use.span.end && use.span.end <= text.size());
  }
  (void)sx::layout_of(serve);
  (void)serve.gpus_wanted();
  const auto translation = sx::other::translate(command);
  SX_ASSERT(!translation || (translation->words.size() > 1 && translation->words.size() <= 512));
  return 0;
}
