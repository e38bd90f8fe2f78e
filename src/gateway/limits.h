// Every bound of the relay, each with its reason.
#pragma once

#include <chrono>
#include <cstddef>

namespace sx {

struct RelayLimits {
  using Seconds = std::chrono::seconds;
  std::size_t head = std::size_t{32} << 10U;     // as nginx's four buffers of 8 KiB
  std::size_t body = std::size_t{64} << 20U;     // some pictures in base64
  std::size_t bodies = std::size_t{512} << 20U;  // of all requests together
  std::size_t ahead = std::size_t{16} << 10U;    // what a client may send before its answer ended
  std::size_t sessions = 10'000;                 // then the kernel's queue holds them
  Seconds idle{75};                              // a client's open connection without a request
  Seconds head_time{10};                         // from a head's first byte to its last
  Seconds body_time{60};                         // between two pieces of a body
  Seconds body_whole{600};                       // of all of it: 64 MiB over a line of 1 Mbit/s
  Seconds connect{5};                            // a local engine answers in microseconds
  Seconds send{60};                              // an engine that does not take a request
  Seconds silence{3600};                         // a long queue and a long prefill say nothing
  Seconds unread{300};                           // a client that does not read
  Seconds linger{2};                             // for a refused body to arrive and be thrown away
  Seconds comment{15};                           // proxies in front give up after 30 and more
  Seconds pooled{4};                             // uvicorn closes idle connections after 5
  std::size_t pool = 256;                        // idle connections of one replica
  Seconds total{0};                              // of a whole request; 0: as long as it takes
  std::size_t queue = 1000;                      // requests that wait for a replica: some KiB each
  Seconds queue_wait{600};                       // as long as OpenAI's clients wait by default
  Seconds full{1};                               // of a replica that says so and not for how long
  Seconds most_full{60};                         // whatever it says
  Seconds news{10};  // for the daemon to see that a replica ended: three looks, two seconds apart
  Seconds rest{1};   // of a replica that failed, if others are there
};

// A piece of an answer: also what one stream may hold of it before the client has read it.
inline constexpr std::size_t kPieceBytes = std::size_t{16} << 10U;

}  // namespace sx
