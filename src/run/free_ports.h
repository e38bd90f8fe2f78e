// Ports for replicas: outside of the range from which the system gives ports to connections, so
// that nobody takes one while its engine restarts, and none that another deployment was given.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sys/port_claim.h"

namespace sx {

class FreePorts {
 public:
  // Ours by habit: below the range of connections, above common services.
  static constexpr int kFirst = 18100;
  // `not_these`: replicas have them, also those that do not listen yet. `claims`: of a chooser, who
  // holds what is given until somebody else does; null: nobody waits for these ports.
  explicit FreePorts(int not_this, std::vector<int> not_these = {}, int first = kFirst,
                     PortClaims* claims = nullptr)
      : not_these_(std::move(not_these)), at_(first), claims_(claims) {
    not_these_.push_back(not_this);
  }
  // The next one that nobody listens on or is about to. An error when a thousand were taken.
  Result<int> next();

 private:
  bool may_be(int port);

  std::vector<int> not_these_;
  int at_;
  PortClaims* claims_;
};

// False: somebody has it. Where that cannot be told it is taken for free.
bool port_is_free(const std::string& host, int port);

}  // namespace sx
