// One process as Linux shows it under /proc. Nothing of it is certain to be readable.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sys/files.h"
#include "sys/procfs.h"

namespace sx {

struct ProcessFiles {
  std::vector<std::string> words;  // of its command line
  // Empty: it may not be read. Values are as they were when the process began.
  std::optional<std::vector<std::pair<std::string, std::string>>> environment;
  std::optional<std::string> folder;   // where it works
  std::optional<std::string> program;  // the file that runs
  ProcessLimits limits;
  bool other_mounts = false;  // it sees another file system than this program: it is in a container
};

// An error when there is no such process or its command line may not be read.
Result<ProcessFiles> process_files(const Files& files, int pid);

// Processes that it started, in order; empty also where that cannot be told.
std::vector<int> children_of(const Files& files, int pid);

}  // namespace sx
