// The table of routes: what the daemon tells the gateway, and what lies in routes.json for one that
// begins.
#pragma once

#include <boost/json/fwd.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sx {

struct Route {
  int replica = 0;
  std::string host;
  int port = 0;
  std::string model, engine, key;
  bool takes = false;  // new requests; those in flight go on either way
  int weight = 1;      // its share of the work beside that of the others
  int most = 0;        // requests it is given at a time; 0: no limit
};

// What a deployment says about waiting and time; empty: the gateway's own choice (limits.h).
struct RouteTimes {
  std::optional<int> queue;  // requests that may wait; 0: none
  std::optional<std::chrono::seconds> queue_wait, silence, total, comment;
  std::optional<std::chrono::seconds> body;  // from a body's first byte to its last
};

inline constexpr int kMostWeight = 1000;
inline constexpr int kMostRequests = 1'000'000;
inline constexpr int kMostQueue = 100'000;
inline constexpr std::chrono::seconds kMostWait = std::chrono::hours(24);

struct RouteTable {
  std::int64_t version = 0;
  std::string model;  // what the deployment serves, also while no replica is there
  std::vector<Route> routes;
  std::vector<std::string> coming;          // models of which a replica starts or comes back
  std::map<std::string, std::string> down;  // models of which none will → the cause; empty: asked
  bool restarts = false;                    // a replica that ends is started again
  std::map<std::string, std::string> aliases;  // another name → the model that is meant
  std::string default_model;                   // for requests that name none; empty: no such
  RouteTimes times;
};

// Requests that wait in an engine's own queue, whoever sent them, as its metrics say.
struct EngineLoad {
  int replica = 0;
  std::uint64_t waiting = 0;
};
std::string loads_line(const std::vector<EngineLoad>& loads);
Result<std::vector<EngineLoad>> read_loads(const boost::json::object& line);

// One line of JSON. The gateway says with its counts up to which version it acts.
std::string routes_line(const RouteTable& table);

// At most 1024 replicas, each number once, and as many names. Damaged: says which field.
Result<RouteTable> read_routes(std::string_view json);

}  // namespace sx
