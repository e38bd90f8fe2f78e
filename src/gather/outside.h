// Everything a command may look at: files, environment, the driver. Tests make one in memory.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "sys/environment.h"
#include "sys/files.h"
#include "sys/http.h"
#include "sys/nvml.h"

namespace sx {

struct Outside {
  const Files* files = nullptr;
  Environment environment;
  std::string folder;  // current folder; relative paths of the user start here
  std::function<Result<NvmlAnswer>()> nvml;             // the driver; Absent in tests
  const Http* http = nullptr;                           // the web; null: it may not be asked
  std::function<void(std::chrono::milliseconds)> wait;  // before a busy hub is asked again
  std::function<Result<std::string>()> standard_input;  // the whole of it, bounded
};

Outside real_outside();

}  // namespace sx
