// Any words as a launch of an engine. The first byte chooses the version; a line is a word, one
// that holds '$' is not known, lines behind one that says `---` are the file of --config.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "base/check.h"
#include "base/strings.h"
#include "engines/engine.h"
#include "knowledge/flags.h"

namespace sx::fuzzing {

inline void hold(const Sources& sources, const Span& span) {
  if (span.source < 0) return;
  SX_ASSERT(span.begin <= span.end && span.end <= sources.at(span.source).text.size());
}

// `launch`: the words in front of the arguments.
inline void read_launch(const Engine& engine, std::initializer_list<const char*> launch,
                        const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto& read = engine_flags(engine.name)->read;
  const Version version = read[size == 0 ? 0 : data[0] % read.size()];

  Sources sources;
  Command command;
  command.source = sources.add({.kind = SourceKind::CommandLine, .text = text});
  for (const char* word : launch)
    command.words.push_back({.text = word, .span = {command.source, 0, 0}});
  std::string file;
  std::size_t at = size == 0 ? 0 : 1;
  while (at < size) {
    const std::size_t end = std::min(text.find('\n', at), size);
    const std::string word = text.substr(at, end - at);
    if (word == "---") {
      file = text.substr(std::min(end + 1, size));
      break;
    }
    const bool known = word.find('$') == std::string::npos;
    command.words.push_back(
        {.text = word, .span = {command.source, at, end}, .literal = known, .complete = known});
    at = end + 1;
  }
  const auto spliced = [&](std::string_view) -> std::optional<int> {
    return sources.add({.name = "a.yaml", .text = file});
  };
  const auto serve = engine.understand(command, version, sources, spliced);
  for (const auto& use : serve.flags) {
    hold(sources, use.span);
    hold(sources, use.name_span);
    SX_ASSERT(use.first_word + use.word_count <= command.words.size());
  }
  for (const auto& problem : serve.problems) {
    hold(sources, problem.span);
    SX_ASSERT(problem.first_word + problem.word_count <= command.words.size());
  }
  (void)layout_of(serve);
  (void)serve.gpus_wanted();
  (void)engine.command_for(serve);
}

}  // namespace sx::fuzzing
