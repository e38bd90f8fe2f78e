// How a shell was called: `bash -euo pipefail -c TEXT NAME ARGUMENTS…`, `bash FILE`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "read/command.h"

namespace sx {

struct ShellCall {
  std::size_t behind = 1;  // index of the first word that is no option: text or file
  bool text = false;       // that word is a text: -c was said
  bool login = false;      // reads the profile first: -l, --login
};

// `words` begin with the shell's name. Its options may stand before and behind -c, and -o takes the
// next word.
ShellCall shell_call(std::span<const std::string_view> words);

// Of `bash -c TEXT` and its like: index of TEXT among the words; nothing when it is no such call.
std::optional<std::size_t> shell_text_at(std::span<const std::string_view> words);
std::optional<std::size_t> shell_text_at(std::span<const Word> words);

// The words as they were said.
std::vector<std::string_view> said_words(std::span<const Word> words);
std::vector<std::string_view> said_words(std::span<const std::string> words);

}  // namespace sx
