// Writing a file whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sx {

// Written beside the file under another name, then moved over it. A device, a pipe or a folder of
// that name is left alone. `mode` as of open(2): 0600 for what holds secrets.
Result<void> save_file(const std::string& path, std::string_view text, unsigned mode = 0644);

// The same for a file that others read by its group: owner, group and permissions of the one that
// is replaced stay, or it is not replaced. `mode`: where there is none yet.
Result<void> save_file_as_it_was(const std::string& path, std::string_view text, unsigned mode);

// Opened for adding to its end, made where it is not there. What is not a plain file of this name
// is refused: a pipe that nobody reads would hold the caller for ever.
Result<UniqueFd> open_for_adding(const std::string& path);

// Holds off others who change the file by reading it first, until the result goes. Waits a few
// seconds at most. The lock is a file of its own beside it, which stays.
Result<UniqueFd> lock_beside(const std::string& path);

// The folder and those above it, for files of this user alone; no error when it is there.
Result<void> make_folders(const std::string& path);

}  // namespace sx
