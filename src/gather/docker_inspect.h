// A container as `docker inspect` and `podman inspect` print it.
#pragma once

#include "gather/container_command.h"
#include "read/json.h"

namespace sx {

struct InspectedContainer {
  Command base;
  ContainerWords words;
  Surroundings around;
};

// An object with Config and HostConfig in it.
bool is_inspected_container(const JsonValue& value);
InspectedContainer inspected_container(const Sources& sources, const JsonValue& value, int source);

}  // namespace sx
