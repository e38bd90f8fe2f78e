// Lines of a message on the page: a head, then a sentence with a hanging indent.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/paint.h"

namespace sx {

// Narrower terminals are written as if they were this wide.
inline constexpr std::size_t kLeastWidth = 40;

// `head` stands before the first line, later lines begin below the end of it. Ends with a line end.
// The sentence is made printable; a head that is painted says so by its own paint.
std::string hanging(std::string_view head, Paint head_paint, std::string_view sentence, Paint paint,
                    std::size_t width, const Painter& painter);

// Lines with an indent of two from the second on: for sentences that have no head.
std::string sentence(std::string_view text, Paint paint, std::size_t width, const Painter& painter);

// A command to be pasted: indented, never wrapped, tabs as they are.
std::string command_lines(std::string_view command, const Painter& painter);

}  // namespace sx
