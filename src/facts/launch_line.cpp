// Exports become assignments of the one command; nothing else of a script is repeated.
#include "facts/launch_line.h"

#include <algorithm>

#include "base/strings.h"
#include "facts/kept_variables.h"
#include "read/shell_words.h"

namespace sx {
namespace {

// Of a container line the words in front decide what reaches the inside. An image's own variables
// stand nowhere in the text; a value that is not known here would be pasted as nothing.
bool counts_for(const Command& command, std::size_t at) {
  const Setting& setting = command.environment[at];
  if (!command.front.empty() || setting.span.source != command.source || command.source < 0)
    return false;
  if (!setting.complete || !concerns_engines(setting.name)) return false;
  const auto later = command.environment.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  return std::none_of(later, command.environment.end(),
                      [&setting](const Setting& other) { return other.name == setting.name; });
}

// `\ ` at the end of a line: two bytes that make a word of one blank.
bool is_escaped_blank(const Word& word) {
  return word.text.size() == 1 && (word.text == " " || word.text == "\t") &&
         word.quoting == Quoting::Shell && word.span.source >= 0 &&
         word.span.end - word.span.begin == 2;
}

}  // namespace

std::string launch_line(const Command& command) {
  const bool exports = std::ranges::any_of(command.environment,
                                           [](const Setting& setting) { return !setting.prefix; });
  const bool blanks = std::ranges::any_of(command.words, is_escaped_blank);
  if (!exports && !blanks) return one_line(command, Wrappers::Shown);
  Command pasted = command;
  std::erase_if(pasted.words, is_escaped_blank);
  for (std::size_t i = 0; i < command.environment.size(); ++i) {
    Setting& setting = pasted.environment[i];
    setting.prefix = setting.prefix || counts_for(command, i);
  }
  return one_line(pasted, Wrappers::Shown);
}

std::string left_out(const Command& command) {
  std::vector<std::string> words = command.after;
  // That it goes on in the background changes nothing of the launch.
  while (!words.empty() && words.back() == "&") words.pop_back();
  return join(words, " ");
}

}  // namespace sx
