// What a request belongs to, and where that was last: the memory behind the choice of a replica.
#pragma once

#include <optional>
#include <string_view>

#include "gateway/body_keys.h"
#include "gateway/choice.h"
#include "gateway/http_head.h"
#include "gateway/place_memory.h"

namespace sx {

// What a client says about a request beside its body.
struct RequestHints {
  std::string_view session;  // empty: none
  std::optional<int> priority;
  std::optional<std::chrono::seconds> patience;  // it waits no longer for a first byte
  std::optional<std::chrono::seconds> wait;      // for a replica, as it says itself
};
RequestHints hints_of(const RequestHead& head);

// What may count, hashed; 0: there is no such thing in the request.
struct RouteHashes {
  std::uint64_t previous = 0, session = 0, conversation = 0, instructions = 0;
  std::uint64_t tokens = 0;  // of the prompt, as guessed
};
RouteHashes hashes_of(const RequestHints& hints, std::string_view body, const BodyKeys& keys,
                      Surface surface);

class Routing {
 public:
  Routing();

  RouteKey key_of(const RequestHints& hints, std::string_view body, const BodyKeys& keys,
                  Surface surface);
  RouteKey key_of(const RouteHashes& hashes);
  RouteAsk ask_for(const RouteKey& key, GatewayClock::time_point now);
  void went_to(const RouteKey& key, int replica);
  // The front of an answer that may be gone on from.
  void answered(std::string_view front, int replica);

 private:
  PlaceMemory places_, holders_;
  std::size_t turn_ = 0;
};

}  // namespace sx
