// Which replica gets a request. One that belongs to a conversation or a session goes where those
// before it went, as long as moving it would cost more than the work that waits for it there;
// otherwise to one that knows its instructions or to the next one in the order of its key. Anything
// else goes to the least work.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

namespace sx {

using GatewayClock = std::chrono::steady_clock;

// What a choice is made of.
struct RouteCandidate {
  int replica = 0;                 // its number: part of the order of a key
  bool takes = false;              // new requests
  bool tried = false;              // by this very request, in vain
  bool serves = false;             // the wanted model, as far as is known
  std::uint64_t load = 0;          // work in flight, in tokens as request_cost() guesses them
  std::uint64_t in_flight = 0;     // requests
  std::uint64_t most = 0;          // requests it is given at a time; 0: no limit
  int weight = 1;                  // its share of the work beside that of the others
  GatewayClock::time_point rests;  // after a failure: taken only when nobody else can
  GatewayClock::time_point full;   // it said so itself, and until when
};

enum class KeyKind { None, Prefix, Session, Response };

struct RouteKey {
  KeyKind kind = KeyKind::None;
  std::uint64_t hash = 0;  // of the conversation, the session, the answer
  // What orders the replicas for it: where many conversations share long instructions, those.
  std::uint64_t order = 0;
  std::uint64_t tokens = 0;  // of its prompt: what a replica that has nothing of it computes
};

// The two replicas that had some instructions last, the later one first; -1: none. More of them
// would be a memory of what caches have long dropped.
using Holders = std::array<int, 2>;

struct RouteAsk {
  RouteKey key;
  int remembered = -1;      // the replica that had this key last; -1: none is known
  Holders holders{-1, -1};  // of these instructions
  std::size_t turn = 0;     // where the search begins, so that equals take turns
  GatewayClock::time_point now;
};

struct RouteChoice {
  int index = -1;  // -1: none
  // For the header: "only", "load", "turn", "resting", "failover", "prefix", "session", "spill",
  // "response".
  std::string_view why;
  bool full = false;  // with index -1: some are there and have as much as they take
};

RouteChoice choose(std::span<const RouteCandidate> candidates, const RouteAsk& ask);

enum class CandidateState { Out, Full, Resting, Fresh };
CandidateState state_of(const RouteCandidate& one, GatewayClock::time_point now);

// How much of the work a replica may hold before a request with such a key goes past it.
std::uint64_t load_limit(std::span<const RouteCandidate> candidates, const RouteCandidate& one,
                         const RouteAsk& ask);
bool holds(const Holders& holders, int replica);

// Guesses that need no tokenizer: they only have to order requests.
std::uint64_t prompt_tokens(std::size_t body_bytes);
std::uint64_t request_cost(std::size_t body_bytes);  // with an answer

}  // namespace sx
