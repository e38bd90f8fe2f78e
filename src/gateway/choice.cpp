// A few walks over the replicas, nothing allocated.
#include "gateway/choice.h"

#include <algorithm>

#include "gateway/affinity.h"

namespace sx {
namespace {

constexpr std::uint64_t kBytesPerToken = 4;   // of English text and JSON, roughly
constexpr std::uint64_t kAnswerTokens = 256;  // an answer costs too, and its length is not known

// Past this multiple of its share a replica is passed over. A session that was asked for by name
// holds longer: whoever names it knows that there is something to keep.
constexpr double kShare = 1.25;
constexpr double kShareOfSession = 2.0;
// Beside that it may hold its share and so many times what the request saves there: what is
// computed anew elsewhere delays all that wait there, and puts out what they have in the cache. In
// a simulation (docs/GATEWAY.md) 4 to 6 times do alike, fewer lose hits and more lose the balance.
constexpr double kWorthOfConversation = 4;
constexpr double kWorthOfInstructions = 0.5;
// A conversation begins where the work is well below the share, because it comes to stay.
constexpr double kShareToBegin = 0.5;
// One short chat more or less is no reason to leave the order in which a gateway that has just
// begun, and remembers nothing, would ask as well.
constexpr double kFreeToBegin = 1024;

struct Totals {
  std::uint64_t load = 0, weight = 0;
  int able = 0;
  bool tried = false, full = false;
  CandidateState best = CandidateState::Out;
};

Totals totals_of(std::span<const RouteCandidate> candidates, GatewayClock::time_point now) {
  Totals totals;
  for (const RouteCandidate& one : candidates) {
    totals.tried |= one.tried;
    const CandidateState state = state_of(one, now);
    if (state == CandidateState::Out) continue;
    totals.full |= state == CandidateState::Full;
    ++totals.able;
    totals.best = std::max(totals.best, state);
  }
  for (const RouteCandidate& one : candidates) {
    if (state_of(one, now) != totals.best) continue;
    totals.load += one.load;
    totals.weight += static_cast<std::uint64_t>(one.weight);
  }
  return totals;
}

double share_of(const Totals& totals, const RouteCandidate& one) {
  return static_cast<double>(totals.load) * one.weight /
         static_cast<double>(std::max<std::uint64_t>(1, totals.weight));
}

double limit_of(const Totals& totals, const RouteCandidate& one, const RouteAsk& ask) {
  const bool session = ask.key.kind == KeyKind::Session;
  const bool there = session || one.replica == ask.remembered;
  const double share = share_of(totals, one);
  const double saved = static_cast<double>(ask.key.tokens + kAnswerTokens);
  return std::max(share * (session ? kShareOfSession : kShare),
                  share + saved * (there ? kWorthOfConversation : kWorthOfInstructions));
}

struct Found {
  int index = -1;
  bool other = false;  // equals among the least; or: the key's first choice had too much
};

// Whoever of the best state has the least work for its weight.
Found least_work(std::span<const RouteCandidate> candidates, const RouteAsk& ask,
                 CandidateState best) {
  Found found;
  const RouteCandidate* least = nullptr;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::size_t index = (ask.turn + i) % candidates.size();
    const RouteCandidate& one = candidates[index];
    if (state_of(one, ask.now) != best) continue;
    const auto mine = least == nullptr ? 0 : one.load * static_cast<std::uint64_t>(least->weight);
    const auto theirs = least == nullptr ? 1 : least->load * static_cast<std::uint64_t>(one.weight);
    if (mine == theirs) found.other = true;
    if (mine >= theirs) continue;
    found = {.index = static_cast<int>(index)};
    least = &one;
  }
  return found;
}

bool may_have(const RouteCandidate& one, const RouteAsk& ask, const Totals& totals) {
  return state_of(one, ask.now) == totals.best &&
         static_cast<double>(one.load) <= limit_of(totals, one, ask);
}

// The least of what was looked at.
struct Least {
  double value = 0;
  int index = -1;
  void take(double other, std::size_t at) {
    if (index >= 0 && other >= value) return;
    value = other;
    index = static_cast<int>(at);
  }
};

// A new one: the first in the order of the key that has room; else the first that holds no more
// than its share. There is one: the least loaded never holds more.
Found begin(std::span<const RouteCandidate> candidates, const RouteAsk& ask, const Totals& totals) {
  Least first, roomy, within;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const RouteCandidate& one = candidates[i];
    if (state_of(one, ask.now) != totals.best) continue;
    const auto load = static_cast<double>(one.load);
    const double rank = rendezvous_rank(ask.key.order, one.replica, one.weight);
    const double share = share_of(totals, one);
    first.take(rank, i);
    const bool room = ask.key.kind == KeyKind::Session
                          ? may_have(one, ask, totals)
                          : load <= std::max(kFreeToBegin, share * kShareToBegin);
    if (room) roomy.take(rank, i);
    if (load <= share + 1) within.take(rank, i);
  }
  const int found = roomy.index >= 0 ? roomy.index : within.index;
  return {.index = found, .other = found != first.index};
}

// Where the conversation was; else the less loaded of those that had its instructions last; else
// one that is to learn them.
Found by_key(std::span<const RouteCandidate> candidates, const RouteAsk& ask,
             const Totals& totals) {
  bool left = false;
  Least holder;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const RouteCandidate& one = candidates[i];
    const bool was_there = one.replica == ask.remembered;
    if (!was_there && !holds(ask.holders, one.replica)) continue;
    const bool may = may_have(one, ask, totals);
    if (was_there && may) return {.index = static_cast<int>(i)};
    left |= was_there && state_of(one, ask.now) == totals.best;
    if (may) holder.take(static_cast<double>(one.load) / one.weight, i);
  }
  if (holder.index >= 0) return {.index = holder.index, .other = left};
  const Found found = begin(candidates, ask, totals);
  return {.index = found.index, .other = left || found.other};
}

std::string_view word_of(KeyKind kind) { return kind == KeyKind::Session ? "session" : "prefix"; }

}  // namespace

std::uint64_t prompt_tokens(std::size_t body_bytes) { return body_bytes / kBytesPerToken; }

std::uint64_t request_cost(std::size_t body_bytes) {
  return kAnswerTokens + prompt_tokens(body_bytes);
}

CandidateState state_of(const RouteCandidate& one, GatewayClock::time_point now) {
  if (!one.takes || !one.serves || one.tried) return CandidateState::Out;
  if (one.full > now || (one.most > 0 && one.in_flight >= one.most)) return CandidateState::Full;
  return one.rests > now ? CandidateState::Resting : CandidateState::Fresh;
}

std::uint64_t load_limit(std::span<const RouteCandidate> candidates, const RouteCandidate& one,
                         const RouteAsk& ask) {
  const Totals totals = totals_of(candidates, ask.now);
  const bool known = one.replica == ask.remembered || holds(ask.holders, one.replica);
  const double begins = std::max(kFreeToBegin, share_of(totals, one));
  const bool there = known || ask.key.kind == KeyKind::Session;
  return static_cast<std::uint64_t>(there ? limit_of(totals, one, ask) : begins);
}

bool holds(const Holders& holders, int replica) {
  return replica >= 0 && (holders[0] == replica || holders[1] == replica);
}

RouteChoice choose(std::span<const RouteCandidate> candidates, const RouteAsk& ask) {
  // What an answer goes on from lies with one replica alone, however busy that is.
  if (ask.key.kind == KeyKind::Response) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const bool there = state_of(candidates[i], ask.now) != CandidateState::Out;
      if (candidates[i].replica == ask.remembered && there)
        return {.index = static_cast<int>(i), .why = "response"};
    }
  }
  const Totals totals = totals_of(candidates, ask.now);
  if (totals.best == CandidateState::Out || totals.best == CandidateState::Full)
    return {.index = -1, .why = {}, .full = totals.full};
  const bool keyed = ask.key.kind == KeyKind::Prefix || ask.key.kind == KeyKind::Session;
  const Found found =
      keyed ? by_key(candidates, ask, totals) : least_work(candidates, ask, totals.best);
  return {.index = found.index,
          .why = totals.tried                             ? "failover"
                 : totals.best == CandidateState::Resting ? "resting"
                 : totals.able == 1                       ? "only"
                 : !keyed                                 ? (found.other ? "turn" : "load")
                 : found.other                            ? "spill"
                                                          : word_of(ask.key.kind)};
}

}  // namespace sx
