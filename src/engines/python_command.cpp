// Python takes its options in front of "-m" or a script: `python -u -X dev -m module`.
#include "engines/python_command.h"

#include <algorithm>

#include "read/command_front.h"

namespace sx {

bool is_python(std::string_view word) {
  constexpr std::string_view kName = "python";
  std::string_view name = program_name(word);
  if (!name.starts_with(kName)) return false;
  name.remove_prefix(kName.size());
  return std::ranges::all_of(name, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

std::size_t behind_python_options(std::span<const Word> words, std::size_t at) {
  while (at < words.size() && words[at].text.size() > 1 && words[at].text.front() == '-' &&
         words[at].text != "-m") {
    if (words[at].text == "-c") return words.size();
    at += words[at].text == "-X" || words[at].text == "-W" ? std::size_t{2} : std::size_t{1};
  }
  return std::min(at, words.size());
}

}  // namespace sx
