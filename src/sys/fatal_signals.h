// A last line on standard error when a signal that a fault raises ends this program, so that no log
// ends without a word.
#pragma once

#include <string_view>

namespace sx {

// What the line says in front of the signal's number and behind it; both must live as long as the
// program. Signals that somebody else already handles are left alone. The program ends by the
// signal all the same.
void say_fatal_signals(std::string_view ahead, std::string_view behind);

}  // namespace sx
