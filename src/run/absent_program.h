// What to do where an engine's program is not there.
#pragma once

#include "base/both.h"
#include "run/deployment.h"

namespace sx {

// Names the program, and how it is installed where that is the engine's own.
Both absent_program_words(const EngineLaunch& launch);

}  // namespace sx
