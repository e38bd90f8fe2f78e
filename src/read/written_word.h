// A word put down so that the reader of its text gets it back: a shell, a YAML or JSON reader,
// systemd.
#pragma once

#include <string>
#include <string_view>

#include "read/command.h"

namespace sx {

// A flag that is written as a name and a value.
inline bool is_member(const Word& word) {
  return word.quoting == Quoting::JsonMember || word.quoting == Quoting::YamlMember;
}

// Plain where that is enough, quoted otherwise; one line always. As a member: "--x=8" is `"x": 8`
// or `x: 8`, "--x" is true, "--no-x" false; a word that is no flag is a value alone.
std::string written_word(std::string_view word, Quoting quoting);

// The same, in quotes even where a plain one would do: an environment value `1` in YAML has to be
// a text.
std::string quoted_word(std::string_view word, Quoting quoting);

}  // namespace sx
