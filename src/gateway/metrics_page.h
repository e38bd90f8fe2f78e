// The page that Prometheus reads.
#pragma once

#include <string>
#include <vector>

#include "gateway/counters.h"
#include "gateway/keys.h"
#include "gateway/metrics.h"
#include "gateway/replica.h"
#include "gateway/span_export.h"
#include "gateway/tls_door.h"
#include "gateway/told_states.h"

namespace sx {

// What the page is made of, besides what requests have left.
struct MetricsAsk {
  const GatewayMetrics& metrics;
  const GatewayCounters& counters;
  const std::vector<std::shared_ptr<GatewayReplica>>& replicas;
  const std::vector<ToldState>& states;  // empty: nobody tells
  const GatewayKeys& keys;
  std::size_t waiting = 0;                        // requests, for a replica
  bool key_file_good = true;                      // as it was read last
  const TlsNumbers* tls = nullptr;                // null: plain HTTP
  std::optional<SpanExport::Numbers> spans = {};  // empty: nothing is traced
  std::uint64_t lines_lost = 0;                   // of the access log
  GatewayClock::time_point now;
  bool open_metrics = false;  // else Prometheus' own format, version 0.0.4
};
std::string metrics_page(const MetricsAsk& ask);

// By the Accept field of the request.
bool wants_open_metrics(std::string_view accept);
std::string_view metrics_type(bool open_metrics);

}  // namespace sx
