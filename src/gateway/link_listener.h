// The socket on which clients come: the daemon keeps it, so that they wait in it while one gateway
// follows another.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sx {

// That of a gateway that runs, which a daemon before us has left; closed when there is none.
UniqueFd listener_of_gateway(const std::string& control_path);
// A new one. Refused: the address is taken, or none of this machine.
Result<UniqueFd> listen_for_clients(const std::string& host, int port);

}  // namespace sx
