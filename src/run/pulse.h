// Whether an engine makes progress, by its own counters: the step counter must advance while
// requests run. Health paths stay good when an engine is stuck; counters do not lie.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "knowledge/engine_life.h"
#include "run/supervisor.h"

namespace sx {

struct Pulse {
  std::optional<double> beats;    // sum of the counters that advance with work
  std::optional<double> busy;     // requests that run or wait
  std::optional<double> waiting;  // those that wait
};

// Of a page of metrics in the text format; series of one name are summed over their labels. What
// the page does not have is unknown, never zero.
Pulse read_pulse(std::string_view page, const EngineLife& life);

class PulseWatch {
 public:
  // How long it has had requests and made no step; empty: it is idle, it works, or nobody can tell.
  // Requests are those of its own count or those that the gateway has there: an engine that takes a
  // request and never counts it is stuck as well.
  std::optional<std::chrono::seconds> look(const Pulse& pulse, Moment now);
  void note_traffic(Moment now) { still_since_ = now; }  // bytes of an answer are progress
  // Requests of the gateway that wait for a byte of this engine; one whose client does not read is
  // none of them.
  void note_awaiting(std::uint64_t requests) { awaiting_ = requests; }

 private:
  std::optional<double> beats_;
  std::uint64_t awaiting_ = 0;
  std::optional<Moment> still_since_;
};

}  // namespace sx
