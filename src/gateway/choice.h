// Which replica gets a request: the one with the least work of ours; among equals the next in turn.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sx {

using GatewayClock = std::chrono::steady_clock;

// What a choice is made of.
struct RouteCandidate {
  bool takes = false;              // new requests
  bool tried = false;              // by this very request, in vain
  bool serves = false;             // the wanted model, as far as is known
  std::uint64_t load = 0;          // work in flight, in tokens as request_cost() guesses them
  GatewayClock::time_point rests;  // after a failure: taken only when nobody else can
};

struct RouteChoice {
  int index = -1;        // -1: none
  std::string_view why;  // for the header: "only", "load", "turn", "resting", "failover"
};

// `turn`: where the search begins, so that equals take turns.
RouteChoice choose(const std::vector<RouteCandidate>& candidates, std::size_t turn,
                   GatewayClock::time_point now);

// A guess that needs no tokenizer: it only has to order requests.
std::uint64_t request_cost(std::size_t body_bytes);

}  // namespace sx
