// One question to a daemon, from a command that waits for the answer.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"

namespace sx {

struct ApiAnswer {
  int status = 0;
  std::string body;  // JSON
};

// Absent: no daemon listens there. TimedOut after `limit`.
Result<ApiAnswer> api_ask(const std::string& socket, const std::string& method,
                          const std::string& target, const std::string& body = {},
                          std::chrono::milliseconds limit = std::chrono::seconds(10));

}  // namespace sx
