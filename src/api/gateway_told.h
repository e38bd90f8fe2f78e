// What the daemon tells its gateway, made of what the supervisor shows.
#pragma once

#include <map>
#include <vector>

#include "gateway/routes.h"
#include "gateway/told_states.h"
#include "run/supervisor.h"

namespace sx {

RouteTable routes_of(const Supervisor& supervisor);
// Whether the two differ in what requests may wait for: not in replicas, which have a word of their
// own when they change.
bool same_outlook(const RouteTable& a, const RouteTable& b);

// How often each replica was found to make no progress.
class WedgeCount {
 public:
  void take(const Transition& transition) {
    if (transition.to == ReplicaState::Wedged) ++count_[transition.replica];
  }
  std::uint64_t of(int replica) const {
    const auto found = count_.find(replica);
    return found == count_.end() ? 0 : found->second;
  }

 private:
  std::map<int, std::uint64_t> count_;
};
std::vector<ToldState> states_of(const Supervisor& supervisor, const WedgeCount& wedges);

}  // namespace sx
