// `docker run --env-file FILE`: its variables, in front of those that the line sets itself.
#pragma once

#include "gather/outside.h"
#include "gather/placed_command.h"

namespace sx {

// Each file becomes a source; a remark says which could not be read.
void take_docker_env_files(Sources& sources, const Outside& outside, PlacedCommand& placed);

}  // namespace sx
