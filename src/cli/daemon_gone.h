// What `status` says where the daemon is gone and its engines or its gateway are not.
#pragma once

#include <string>

#include "cli/daemon_talk.h"
#include "run/still_there.h"

namespace sx {

struct GoneDaemon {
  std::string name;
  std::string address;  // that clients use; empty: its record cannot be read
  StillThere there;
};

std::string gone_page(const GoneDaemon& gone, Language language);
// The same as JSON, "state": "daemon-gone".
std::string gone_json(const GoneDaemon& gone);

}  // namespace sx
