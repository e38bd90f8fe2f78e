// Ports of a container as the host publishes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/rule.h"

namespace sx::rules {

// The launch runs in a container with a network of its own.
bool own_network(const Case& c);

// The entry that publishes a port of the container; null: none.
const PublishedPort* published(const Case& c, int inside);

// Only programs of the same machine can listen or connect there.
bool is_local(std::string_view address);

// -p ADDRESS:HOST:INSIDE in the place of that entry. Empty where it stands on no docker line, or
// publishes a range.
std::vector<Change> publish_instead(const Case& c, const PublishedPort& entry,
                                    const std::string& address, int host, int inside);

}  // namespace sx::rules
