// The table of routes as it comes from the daemon or lies in routes.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gateway/link.h"

namespace sx {

struct RouteTable {
  std::int64_t version = 0;
  std::string model;  // what the deployment serves, also while no replica is there
  std::vector<Route> routes;
};

// At most 1024 replicas, each number once. Damaged: says which field.
Result<RouteTable> read_routes(std::string_view json);

}  // namespace sx
