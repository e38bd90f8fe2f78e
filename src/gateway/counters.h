// What the relay counts. Everything only grows but what is `open` or in flight.
#pragma once

#include <cstdint>

namespace sx {

struct GatewayCounters {
  std::uint64_t connections = 0;       // of clients, ever
  std::uint64_t connections_open = 0;  // now
  std::uint64_t requests = 0;          // heads that were read
  std::uint64_t answered = 0;          // relayed to their last byte
  std::uint64_t answered_here = 0;     // /v1/models, /health …
  std::uint64_t refused = 0;           // 4xx of ours
  std::uint64_t unserved = 0;          // 503: no replica took it
  std::uint64_t lost = 0;              // 502: replicas were tried in vain
  std::uint64_t retries = 0;           // sent to another replica
  std::uint64_t stale = 0;             // an idle connection had gone: sent anew to the same one
  std::uint64_t cut = 0;               // a replica was lost within its answer
  std::uint64_t client_gone = 0;       // before the answer's end
  std::uint64_t slow_clients = 0;      // that did not read for too long
  std::uint64_t time_outs = 0;         // heads and bodies that did not come
  std::uint64_t saturated = 0;         // 429 and 503 of engines, passed on
  std::uint64_t comments = 0;          // sent into silent streams
  std::uint64_t in_flight = 0;         // requests at replicas, now
  std::uint64_t bytes_in = 0, bytes_out = 0;  // from replicas, to clients
  std::uint64_t body_bytes = 0;               // request bodies held, now
};

}  // namespace sx
