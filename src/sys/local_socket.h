// Sockets that only this machine and this user can reach: a name in a folder. They also carry open
// descriptors from one process to another.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sx {

// Names may be longer than the system's limit for such addresses. What a dead listener left behind
// under that name is removed; Refused when somebody still listens there. Mode 0600. Not blocking.
Result<UniqueFd> listen_local(const std::string& path);

// Absent: nobody listens there. A blocking socket; waits for a second at most while too many want
// the same.
Result<UniqueFd> connect_local(const std::string& path);

// Next one that wants to talk; not open when there is none, or when it belongs to another user
// (root may always).
UniqueFd accept_local(int listener);

// The process at the other end; 0: not known.
pid_t peer_of(int socket);

// One piece of bytes with descriptors (at most 8). False: the other side has gone.
bool send_descriptors(int socket, std::string_view bytes, const std::vector<int>& descriptors);

struct Received {
  std::string bytes;  // empty: the other side has closed
  std::vector<UniqueFd> descriptors;
};
Result<Received> receive_descriptors(int socket, std::size_t most);

}  // namespace sx
