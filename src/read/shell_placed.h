// Shell text that stands inside another text: `sh -c` in a YAML scalar or a unit. Its words keep
// the places they have in the user's file.
#pragma once

#include <optional>
#include <span>

#include "read/placed_text.h"
#include "read/shell_words.h"

namespace sx {

// `written`: how edits may be made in the text that holds it; Plain where a new word may be written
// as the shell wants it. `environment` is known to the script and passed on to its commands.
ShellText parse_placed_shell(const Sources& sources, const PlacedText& text,
                             std::span<const Setting> environment, Command::Text written);

// Of `bash -c TEXT` and its like: index of TEXT among the words; nothing when it is no such call.
std::optional<std::size_t> shell_text_at(std::span<const PlacedWord> words);

}  // namespace sx
