// An engine in a container: the `docker run` or `podman run` line that people write, made into one
// that we can hold.
#pragma once

#include "facts/container_line.h"
#include "run/deployment.h"

namespace sx {

// Whether the words inside have the machine's own network: then they listen as they would without a
// container.
bool has_host_network(const ContainerLine& line);

// An option that we decide, in place of what the line says.
bool is_ours(const ContainerOption& option);

// The words of the line with its own options, except those that we decide: it stays attached, has a
// name and labels of its own for each start, and publishes its one port to this machine alone.
// `port`: inside and outside. An error where the line cannot be held so.
Result<void> put_into_container(EngineLaunch& launch, const Command& command,
                                const ContainerLine& line);

// A variable that the engine sees, wherever it runs.
void set_variable(EngineLaunch& launch, const std::string& name, const std::string& value);

// The words of one start. `folder`: of the replica; its leftovers are found by it.
std::vector<std::string> container_words(const EngineLaunch& launch, const std::string& folder,
                                         const std::string& mark);
std::string container_name(const std::string& mark);
// Two words: what `docker ps --filter` and `docker run` take.
std::string container_label(const std::string& folder);

}  // namespace sx
