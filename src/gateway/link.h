// The daemon's side of the gateway: keeps the listening socket, keeps a gateway process behind it,
// tells it the routes and hears how many requests each replica has.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "run/state_folder.h"

namespace boost::asio {
class io_context;
}

namespace sx {

struct Route {
  int replica = 0;
  std::string host;
  int port = 0;
  std::string model, engine, key;
  bool takes = false;  // new requests; those in flight go on either way
};

// One line of JSON: what the gateway is told, and what lies in routes.json for one that begins. The
// gateway says with its counts up to which version it acts.
std::string routes_line(const std::vector<Route>& routes, std::int64_t version);

struct GatewayAsk {
  StateFolder folder;
  std::string program;  // our own, by path
  std::string host;
  int port = 0;
};

class GatewayLink {
 public:
  GatewayLink(boost::asio::io_context& loop, GatewayAsk ask);
  ~GatewayLink();
  GatewayLink(const GatewayLink&) = delete;
  GatewayLink& operator=(const GatewayLink&) = delete;

  // Takes over a gateway that runs, with its socket; otherwise listens and starts one. An error
  // when the address cannot be had.
  Result<void> begin();
  void publish(const std::vector<Route>& routes);
  // Calls back once that replica has no request in flight; at once when no gateway can tell.
  void when_idle(int replica, std::function<void()> done);
  // It ends: no new connections, those in flight get so long.
  void stop(std::chrono::seconds grace);

  std::function<void(int replica)> traffic;  // bytes came from it

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace sx
