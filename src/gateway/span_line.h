// A request as a span of a trace: OTLP's JSON, named as OpenTelemetry's conventions for HTTP
// servers and generative AI have it. No word of a prompt, no key.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/access_line.h"
#include "gateway/trace_context.h"
#include "knowledge/gateway_paths.h"

namespace sx {

struct SpanEntry {
  const AccessEntry& access;
  const TraceContext& trace;
  const GatewayPath* path = nullptr;  // the row of the table; null: none
  std::string_view route;             // it or a path of ours; empty: neither
  std::string_view scheme;            // "https"
  std::string_view user_agent;        // as the client says; may be empty
};

// One object. `ended` is when its last byte left.
std::string span_json(const SpanEntry& entry, const WallClock& wall,
                      GatewayClock::time_point ended);

// Who speaks: names and values, `service.name` among them.
using SpanResource = std::vector<std::pair<std::string, std::string>>;
// The whole message of so many spans.
std::string spans_message(const std::vector<std::string>& spans, const SpanResource& resource);

}  // namespace sx
