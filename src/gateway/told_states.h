// What the daemon tells of its replicas for the page of numbers: the state of each, also of those
// that no request can reach, and how often it stood still.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "run/replica_state.h"

namespace sx {

struct ToldState {
  int replica = 0;
  std::string engine;
  std::optional<ReplicaState> state;  // empty: a word of a newer daemon
  std::uint64_t wedges = 0;           // since that daemon began
};

// One line of JSON, whole: a replica that is not in it is no more.
std::string states_line(const std::vector<ToldState>& states);
Result<std::vector<ToldState>> read_states(const boost::json::object& line);

}  // namespace sx
