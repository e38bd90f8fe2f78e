// The daemon's side of the gateway: keeps the listening socket, keeps a gateway process behind it,
// tells it the routes and hears how many requests each replica has.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "gateway/routes.h"
#include "gateway/told_states.h"
#include "run/state_folder.h"

namespace boost::asio {
class io_context;
}

namespace sx {

struct GatewayAsk {
  StateFolder folder;
  std::string program;  // our own, by path
  std::string host;
  int port = 0;
  // From its start until it listens; one that does not is ended and another one is started.
  std::chrono::milliseconds comes_up{30'000};
};

class GatewayLink {
 public:
  GatewayLink(boost::asio::io_context& loop, GatewayAsk ask);
  ~GatewayLink();
  GatewayLink(const GatewayLink&) = delete;
  GatewayLink& operator=(const GatewayLink&) = delete;

  // Takes over a gateway that runs, with its socket; otherwise listens and starts one, which finds
  // `first` in routes.json. An error when the address cannot be had.
  Result<void> begin(RouteTable first);
  void tell_load(const EngineLoad& load);  // of an engine's own queue
  void publish(RouteTable table);          // its version is ours to give
  void tell_states(const std::vector<ToldState>& states);
  // Calls back once that replica has no request in flight; at once when no gateway can tell.
  void when_idle(int replica, std::function<void()> done);
  // Requests at that replica, as the gateway said last; empty: it has not.
  std::optional<std::int64_t> in_flight(int replica) const;
  // It ends: no new connections, those in flight get so long.
  void stop(std::chrono::seconds grace);

  std::function<void(int replica)> traffic;  // bytes came from it
  // Requests that wait for a byte of it; 0 also when no gateway can tell.
  std::function<void(int replica, std::uint64_t requests)> awaiting;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace sx
