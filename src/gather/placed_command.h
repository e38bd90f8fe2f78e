// A command and what stands around it, whatever it was read from.
#pragma once

#include "facts/surroundings.h"
#include "read/command.h"

namespace sx {

struct PlacedCommand {
  Command command;
  Surroundings around;
};

}  // namespace sx
