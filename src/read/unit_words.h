// How systemd reads command lines and lists of assignments: its own quotes and escapes,
// %specifiers, and variables that it replaces itself.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "read/placed_text.h"

namespace sx {

// Words by white space; '…' and "…", \n \t \s \x41 and their like. An escape that systemd does not
// know stays. At most 65 536 words.
std::vector<PlacedWord> unit_words(const PlacedText& text);

// What %i and its like are; empty: only the machine knows.
using UnitSpecifiers = std::function<std::optional<std::string>(char letter)>;
PlacedText with_specifiers(const PlacedText& text, const UnitSpecifiers& specifiers);
// Those that the file's name says: of "vllm@qwen.service" %i is "qwen", %p "vllm".
UnitSpecifiers specifiers_of(std::string_view file_name, std::string_view user);

// ${A} inside a word, and $A as a whole word, which becomes as many words as its value has. A
// variable that is set nowhere here stays as written and is incomplete.
std::vector<PlacedWord> with_variables(std::span<const PlacedWord> words,
                                       std::span<const Setting> environment);

struct UnitCommand {
  std::vector<PlacedWord> words;
  bool keeps_variables = false;  // `:` in front: nothing is replaced
  bool with_all_rights = false;  // `+`, `!`, `!!` in front: rights beyond those of User=
};

// The commands of one ExecStart=: parted by a word `;`, the marks in front of the program (@ - : +
// ! |) taken off, with the name that @ asks for.
std::vector<UnitCommand> unit_commands(std::vector<PlacedWord> words);

}  // namespace sx
