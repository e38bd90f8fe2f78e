// One replica as the relay sees it: where it is, what is in flight there, connections that wait.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gateway/choice.h"
#include "gateway/counters.h"
#include "gateway/link.h"
#include "gateway/loop.h"

namespace sx {

struct PooledSocket {
  std::unique_ptr<LoopSocket> socket;
  GatewayClock::time_point since;
};

// Shared: a request may outlive its replica's place in the table.
struct GatewayReplica {
  Route route;
  std::vector<std::string> models;  // empty: not known, so nothing speaks against it
  boost::asio::ip::tcp::endpoint endpoint;
  std::string front;  // the lines of a request's head that are about this replica: Host, key
  std::uint64_t in_flight = 0, load = 0, bytes = 0;
  GatewayClock::time_point rests{}, full{};      // see RouteCandidate
  GatewayClock::time_point last_byte{}, busy{};  // the latest of an answer; since it has requests
  std::uint64_t awaiting = 0;                    // requests that wait for a byte of it
  std::uint64_t elsewhere = 0;  // requests that wait in its engine, as it says itself
  std::vector<PooledSocket> pool;

  bool serves(std::string_view model) const;
  // How long no request that waits for a byte of it has got one; zero: none waits.
  std::chrono::milliseconds silent(GatewayClock::time_point now) const;
};

// A request at a replica, from before its first byte to after its last: every counter goes back by
// itself, however it ends.
class InFlight {
 public:
  InFlight(std::shared_ptr<GatewayReplica> replica, GatewayCounters& counters, std::uint64_t cost,
           GatewayClock::time_point now)
      : replica_(std::move(replica)), counters_(counters), cost_(cost) {
    if (replica_->in_flight == 0) replica_->busy = now;
    ++replica_->in_flight;
    ++counters_.in_flight;
    replica_->load += cost_;
  }
  ~InFlight() {
    --replica_->in_flight;
    --counters_.in_flight;
    replica_->load -= cost_;
  }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

 private:
  std::shared_ptr<GatewayReplica> replica_;
  GatewayCounters& counters_;
  std::uint64_t cost_;
};

}  // namespace sx
