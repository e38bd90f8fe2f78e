// The half that runs in the child: loads the driver's library and says all it is told.
#pragma once

#include <string>

namespace sx {

// Writes lines (nvml_words.h) to the descriptor as soon as each is known, so that a hang or a crash
// loses only what follows.
void tell_nvml(const std::string& library, int to);

}  // namespace sx
