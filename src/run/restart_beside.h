// A restart without a gap: the replica's launch on another port, to be started beside it as a
// reload starts what is new. Or why that cannot be done here.
#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "run/deployment.h"
#include "sys/port_claim.h"

namespace sx {

struct BesideAsk {
  const Deployment& deployment;
  const EngineLaunch& launch;    // of the replica, one of the deployment's
  bool gpus_here = false;        // the machine has some
  std::optional<Bytes> holds;    // its processes, and goes with them
  std::optional<Bytes> room;     // that more processes may take
  int first_port = 0;            // its new one is the first from there on that is free
  PortClaims* claims = nullptr;  // of a chooser: holds it until the deployment is taken
};

// The deployment with that launch elsewhere, in all its layouts. An error says why it has to stop
// first.
Result<Deployment> with_one_beside(const BesideAsk& ask);

}  // namespace sx
