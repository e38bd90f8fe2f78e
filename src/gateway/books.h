// What the gateway keeps account of: whose keys, how many requests, one line each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gateway/access_line.h"
#include "gateway/access_log.h"
#include "gateway/key_watch.h"
#include "gateway/metrics.h"
#include "gateway/span_export.h"

namespace sx {

class Books {
 public:
  Books();
  GatewayKeys keys;
  KeyWatch key_file{keys};
  GatewayMetrics metrics;
  std::unique_ptr<AccessLog> access_log;  // null: none is kept
  std::string_view scheme = "http";       // that clients speak
  std::unique_ptr<SpanExport> spans;      // null: nothing is traced
  TraceSampler sampler;                   // of those that are

  // Some times a second.
  void tick(GatewayClock::time_point now);
  // Of a request, a trace or a span: no two are the same. They are no secrets: from one the next
  // can be worked out.
  std::uint64_t new_id();
  void write(const AccessEntry& entry, GatewayClock::time_point now);
  // Changes where traces go to; to nowhere when it is not wanted. Refused: libcurl is not there.
  Result<void> trace_to(OtlpSettings settings);
  bool traces() const { return spans && spans->wanted(); }
  void trace(const SpanEntry& entry, GatewayClock::time_point ended);

 private:
  WallClock wall_;
  AccessLines lines_;
  std::uint64_t seed_ = 0, made_ = 0;
};

}  // namespace sx
