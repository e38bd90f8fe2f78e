// Which process listens on a port: an answer from a port is worth nothing when somebody else gives
// it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sys/process_identity.h"

namespace sx {

// Inodes of the sockets that listen on a port, of a text in the form of /proc/net/tcp or tcp6.
std::set<std::uint64_t> listening_inodes(std::string_view text, int port);

// Whether one of these processes has a socket that listens there. Empty: it cannot be told (nobody
// listens, or their descriptors may not be looked at).
std::optional<bool> one_listens(const std::vector<ProcessIdentity>& processes, int port);

struct PortOwner {
  pid_t pid = 0;
  std::string name;  // of its program, as Linux has it: at most 15 bytes
};
// Who listens there; the first of several. Empty: nobody, or nobody who may be looked at.
std::optional<PortOwner> owner_of(int port);

}  // namespace sx
