// One place, so that `check` and `host` never mean different machines.
#include "cli/host_ask.h"

namespace sx {

HostAsk host_ask(const Arguments& arguments) {
  return {.on = arguments.value("--on"),
          .topology = arguments.value("--topology"),
          .driver = arguments.value("--driver"),
          .cuda = arguments.value("--cuda"),
          .shm = arguments.value("--shm"),
          .free = arguments.value("--free")};
}

}  // namespace sx
