// Where a launch listens, and whether two listeners are in each other's way.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "check/rule.h"

namespace sx::rules {

struct Listener {
  std::string address;  // "0.0.0.0", "::1"
  int port = 0;
};

// Where the launch takes a port of the machine: inside of a container with a network of its own,
// what publishes the port. Empty: a Unix socket, a port that is not known or not published, or 0,
// which takes a free one.
std::optional<Listener> listener_of(const Case& c);

// "0.0.0.0:8000", "[::1]:8000".
std::string written(const Listener& listener);

// One of them keeps the other from listening: the same port on the same address, or on every
// address.
bool in_the_way(const Listener& a, const Listener& b);

// Ports that others of the machine or of the same file use.
std::set<int> ports_in_use(const Case& c);

// The fix that takes the next port above the launch's own that nobody uses, `skipped` of them left
// to others; empty when there is none, and in a manifest whose published port would have to change.
std::optional<Proposal> another_port(const Case& c, int port, int skipped = 0);

}  // namespace sx::rules
