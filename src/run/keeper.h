// The keeper of one replica: holds what its engine prints, how it ended, and its whole family of
// processes, so that the daemon may come and go. It decides nothing.
#pragma once

#include <string>

namespace sx {

// Runs in a process of its own, whose folder the daemon has filled (replica_files.h). Starts the
// engine, tells who runs on descriptor 3 where that is open, then keeps until the engine and all
// that came from it have ended. Returns the exit code of the process: 0, or 2 when its folder is of
// no use.
int run_keeper(const std::string& folder);

}  // namespace sx
