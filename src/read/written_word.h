// A word put down so that the reader of its text gets it back: a shell, a YAML or JSON reader,
// systemd.
#pragma once

#include <string>
#include <string_view>

#include "read/command.h"

namespace sx {

// Plain where that is enough, quoted otherwise; one line always.
std::string written_word(std::string_view word, Quoting quoting);

// The same, in quotes even where a plain one would do: an environment value `1` in YAML has to be
// a text.
std::string quoted_word(std::string_view word, Quoting quoting);

}  // namespace sx
