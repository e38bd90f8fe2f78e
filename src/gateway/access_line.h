// The line that a request leaves in the access log: JSON, no word of its prompt, no key.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "gateway/record.h"

namespace sx {

// The time of day beside a clock that only goes forward: read once a tick, never for a request.
struct WallClock {
  GatewayClock::time_point steady;
  std::chrono::milliseconds since_1970{};
  std::chrono::milliseconds at(GatewayClock::time_point when) const {
    return since_1970 + std::chrono::duration_cast<std::chrono::milliseconds>(when - steady);
  }
};

struct AccessEntry {
  const RequestRecord& record;
  std::string_view id, key, method, target, model;  // the key's name; empty: none
};

class AccessLines {
 public:
  void add(std::string& out, const AccessEntry& entry, const WallClock& wall,
           GatewayClock::time_point now);

 private:
  // The last second that was written out: most requests of one tick share it.
  std::int64_t second_ = -1;
  std::string text_;
};

}  // namespace sx
