// A command of Python's interpreter, whichever engine it starts.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "read/command.h"

namespace sx {

// "python", "python3.12", "/opt/venv/bin/python3".
bool is_python(std::string_view word);

// Index of the word behind Python's own options, which begin at `at`: "-m" or a script;
// words.size() when there is none.
std::size_t behind_python_options(std::span<const Word> words, std::size_t at);

}  // namespace sx
