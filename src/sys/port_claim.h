// Ports that a program of ours has chosen and that nobody listens on yet: a name in the abstract
// namespace says so to all others. It belongs to the network namespace, as the port itself does,
// and goes with the process that holds it, however that ends.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "base/unique_fd.h"

namespace sx {

// A port goes from hand to hand without ever being nobody's: who chooses it holds it until the
// daemon does, and what the daemon started holds it too, should the daemon be killed.
enum class PortRole : std::uint8_t { Chooser, Daemon, Keeper };

class PortClaims {
 public:
  explicit PortClaims(PortRole role) : role_(role) {}
  // From now on it is ours, among those of our role. False: somebody else of it has it. Where no
  // claim can be had (descriptors are used up, sockets are not allowed, it has hundreds) it is as
  // if there were none.
  bool take(int port);
  void drop(int port) { held_.erase(port); }
  void keep(const std::set<int>& ports);  // and drop all others

 private:
  PortRole role_;
  std::map<int, UniqueFd> held_;
};

// Whether somebody of that role has it, in this process or another one of this network namespace.
bool is_claimed(int port, PortRole by);
// Of a port that is to be chosen: whether it is in use by what runs or is about to.
bool is_given(int port);

}  // namespace sx
