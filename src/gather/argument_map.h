// The arguments of a launch as names and values: {"model": …, "tensor_parallel_size": 8}, as an API
// or a file for --config has them. They are read as the command that says the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "read/command.h"
#include "read/json.h"
#include "read/yaml.h"

namespace sx {

// Nothing where the object names no model, or where most of its names are no flags of an engine:
// a request to a server names a model, too.
std::optional<Command> command_of_arguments(const Sources& sources, int source,
                                            const JsonValue& object);
std::optional<Command> command_of_arguments(const Sources& sources, int source,
                                            const YamlNode& map);

}  // namespace sx
