// What is kept of one request while it is served: for the numbers and for its line in the log.
#pragma once

#include <cstdint>
#include <string_view>

#include "gateway/choice.h"
#include "gateway/usage.h"

namespace sx {

struct RequestRecord {
  GatewayClock::time_point began, first, last;  // its head was read; first and last piece of answer
  int status = 0;                               // 0: nothing was answered
  std::string_view cause;                       // code of what went wrong; empty: nothing
  int replica = -1;                             // that answered, or the last one tried; -1: none
  std::string_view why;                         // it was chosen
  std::uint32_t retries = 0;                    // replicas that were tried in vain
  std::uint32_t events = 0;
  std::chrono::milliseconds waited{0};        // for a replica
  std::uint64_t bytes_in = 0, bytes_out = 0;  // of the client, to the client
  TokenUsage usage;
  bool stream = false;  // the answer came as events
};

}  // namespace sx
