// Ports for replicas: outside of the range from which the system gives ports to connections, so
// that nobody takes one while its engine restarts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sx {

class FreePorts {
 public:
  // Ours by habit: below the range of connections, above common services.
  static constexpr int kFirst = 18100;
  // `not_these`: replicas have them, also those that do not listen yet.
  explicit FreePorts(int not_this, std::vector<int> not_these = {}, int first = kFirst)
      : not_these_(std::move(not_these)), at_(first) {
    not_these_.push_back(not_this);
  }
  // The next one that nobody listens on at this moment. An error when a thousand were taken.
  Result<int> next();

 private:
  std::vector<int> not_these_;
  int at_;
};

// Whether a listener of ours could have it now.
bool port_is_free(const std::string& host, int port);

}  // namespace sx
