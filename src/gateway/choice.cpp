// A few walks over the replicas, nothing allocated.
#include "gateway/choice.h"

#include <algorithm>
#include <optional>

#include "gateway/affinity.h"

namespace sx {
namespace {

constexpr std::uint64_t kBytesPerToken = 4;   // of English text and JSON, roughly
constexpr std::uint64_t kAnswerTokens = 256;  // an answer costs too, and its length is not known

// Past this multiple of its share a replica is passed over. A conversation that is there already
// holds a little longer than one that could begin anywhere, and a session that was asked for by
// name longer still: whoever names it knows that there is something to keep.
constexpr double kShareOfNew = 1.25;
constexpr double kShareOfConversation = 1.4;
constexpr double kShareOfSession = 2.0;
// Work that a replica may always hold: so little is done together at no cost to anybody.
constexpr double kFreeTokens = 8192;
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
  const double times = ask.key.kind == KeyKind::Session ? kShareOfSession
                       : one.replica == ask.remembered  ? kShareOfConversation
                                                        : kShareOfNew;
  return std::max(kFreeTokens, share_of(totals, one) * times);
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

// Where the conversation was; else the least loaded of those that know its instructions; else a
// new one to learn them: the first in the order of the key that holds no more than its share. There
// is one: the least loaded never holds more.
Found by_key(std::span<const RouteCandidate> candidates, const RouteAsk& ask,
             const Totals& totals) {
  struct Ranked {
    double rank = 0;
    int index = -1;
    void take(double other, std::size_t at) {
      if (index >= 0 && other >= rank) return;
      rank = other;
      index = static_cast<int>(at);
    }
  };
  Ranked first, within, holder;
  bool left = false;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const RouteCandidate& one = candidates[i];
    if (state_of(one, ask.now) != totals.best) continue;
    const auto load = static_cast<double>(one.load);
    const bool fits = load <= limit_of(totals, one, ask);
    if (one.replica == ask.remembered && fits) return {.index = static_cast<int>(i)};
    left |= one.replica == ask.remembered;
    if ((ask.holders & holder_bit(one.replica)) != 0 && fits) holder.take(load / one.weight, i);
    const double rank = rendezvous_rank(ask.key.order, one.replica, one.weight);
    first.take(rank, i);
    const double begin = std::max(kFreeToBegin, share_of(totals, one) + 1);
    if (ask.key.kind == KeyKind::Session ? fits : load <= begin) within.take(rank, i);
  }
  if (holder.index >= 0) return {.index = holder.index, .other = left};
  return {.index = within.index, .other = left || within.index != first.index};
}

std::string_view word_of(KeyKind kind) { return kind == KeyKind::Session ? "session" : "prefix"; }

}  // namespace

std::uint64_t request_cost(std::size_t body_bytes) {
  return kAnswerTokens + body_bytes / kBytesPerToken;
}

CandidateState state_of(const RouteCandidate& one, GatewayClock::time_point now) {
  if (!one.takes || !one.serves || one.tried) return CandidateState::Out;
  if (one.full > now || (one.most > 0 && one.in_flight >= one.most)) return CandidateState::Full;
  return one.rests > now ? CandidateState::Resting : CandidateState::Fresh;
}

std::uint64_t load_limit(std::span<const RouteCandidate> candidates, const RouteCandidate& one,
                         const RouteAsk& ask) {
  return static_cast<std::uint64_t>(limit_of(totals_of(candidates, ask.now), one, ask));
}

std::uint64_t holder_bit(int replica) { return std::uint64_t{1} << (replica % 64); }

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
