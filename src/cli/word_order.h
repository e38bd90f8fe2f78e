// What people type in another order than the parser reads: options in front of the command, and
// `help` as a command.
#pragma once

#include <string>
#include <vector>

namespace sx {

// `sextant --lang zh status` is `sextant status --lang zh`, `sextant help up` is
// `sextant up --help`. Words that end the line early, and unknown ones, stay where they are.
void put_in_order(std::vector<std::string>& words);

}  // namespace sx
