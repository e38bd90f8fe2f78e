// Any bytes as a shell text: reading ends, places lie in the text, and what is printed of a command
// reads as its words.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "read/shell_words.h"

namespace {

void check_places(const sx::Command& command, std::size_t size) {
  SX_ASSERT(command.span.begin <= command.span.end && command.span.end <= size);
  SX_ASSERT(command.environment_at <= size);
  for (const auto& word : command.words) {
    SX_ASSERT(word.span.begin <= word.span.end && word.span.end <= size);
    SX_ASSERT(word.blank <= word.span.begin);
  }
}

// Only words that hold nothing unknown: the rest is left to a shell.
void check_quoting(const sx::Command& command) {
  std::string line = "x";
  for (const auto& word : command.words) line += ' ' + sx::shell_quoted(word.text);
  constexpr std::size_t kLongest = std::size_t{8}
                                   << 20U;  // variables may have made more than is read at once
  if (line.contains('\0') || line.size() > kLongest) return;
  sx::Sources sources;
  const auto again = sx::parse_shell(sources, sources.add({.text = line}));
  SX_ASSERT(again.has_value() && again->commands.size() == 1);
  const auto& words = again->commands[0].words;
  SX_ASSERT(words.size() == command.words.size() + 1);
  for (std::size_t i = 1; i < words.size(); ++i)
    SX_ASSERT(words[i].text == command.words[i - 1].text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sx::Sources sources;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto shell = sx::parse_shell(sources, sources.add({.name = "x.sh", .text = text}));
  if (!shell) return 0;
  for (const auto& command : shell->commands) {
    check_places(command, size);
    check_quoting(command);
    (void)sx::one_line(command);
  }
  return 0;
}
