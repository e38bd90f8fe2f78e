// What a deployment says about the gateway in front of it: names, waits, limits of a replica.
#pragma once

#include <boost/json/fwd.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sys/tls.h"

namespace sx {

struct GatewayPolicy {
  std::map<std::string, std::string> aliases;  // another name → the model that is meant
  std::string default_model;                   // for requests that name none; empty: no such
  TlsFiles tls;                                // whole paths; empty: plain HTTP
  std::string otlp_endpoint;                   // where traces go; empty: nowhere
  std::optional<double> otlp_sample;  // the part of them that is kept; empty: see variables
  // Empty: the gateway's own choice.
  std::optional<int> queue;        // requests that may wait for a replica
  std::optional<int> concurrency;  // requests that a replica is given at a time; 0: no limit
  std::optional<std::chrono::seconds> queue_wait, silence, total, body;
  bool operator==(const GatewayPolicy&) const = default;
};

// From one name to the next, as long as that is another name itself. One that stands in it twice is
// the last: the names lead round in a loop.
std::vector<std::string> alias_chain(const std::string& name,
                                     const std::map<std::string, std::string>& aliases);

boost::json::object gateway_policy_json(const GatewayPolicy& policy);
Result<GatewayPolicy> read_gateway_policy(const boost::json::object& object);

inline constexpr int kMostGatewayQueue = 100'000;  // some KiB each
inline constexpr int kMostReplicaRequests = 1'000'000;
inline constexpr int kMostReplicaWeight = 1000;
inline constexpr std::int64_t kMostGatewayWait = 24 * 3600;

}  // namespace sx
