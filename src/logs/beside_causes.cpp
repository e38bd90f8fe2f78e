// Dumps of the flight recorder say most, then stacks, then NCCL's list of who joined. Nothing of
// this is ever certain: a log is a moment, and a moment of a server at work looks like one of a
// server that hangs.
#include "logs/beside_causes.h"

#include <algorithm>
#include <array>
#include <optional>

#include "logs/flight_verdict.h"
#include "logs/nccl_verdict.h"
#include "logs/waits.h"

namespace sx {
namespace {

constexpr std::string_view kBehind = "rank-behind";
constexpr std::string_view kNeverJoined = "rank-never-joined";
constexpr std::string_view kTransfers = "p2p-hang";
constexpr std::string_view kDeadlock = "collective-deadlock";
// Causes that say no more than that somebody waits.
constexpr std::array<std::string_view, 4> kHangs{kTransfers, kDeadlock, "startup-timeout",
                                                 "start-interrupted"};

LogEvent event_at(LineAt at, std::string_view text, int rank, std::string process) {
  LogEvent event;
  event.place.file = at.file;
  event.place.line = at.line;
  event.place.text = text;
  event.place.end = text.size();
  event.place.rank = rank;
  event.place.process = std::move(process);
  return event;
}

LogEvent event_of(const Wait& wait) {
  return event_at(wait.frame->at, wait.frame->text, wait.process->rank, wait.process->process);
}

FoundCause cause_at(std::string_view name, Certainty certainty, LogEvent root) {
  FoundCause cause;
  cause.name = name;
  cause.certainty = certainty;
  cause.root = std::move(root);
  return cause;
}

LogEvent event_of(const FlightDump& dump, const FlightEntry* entry) {
  return event_at({dump.file, entry == nullptr ? 1 : entry->line},
                  entry == nullptr ? std::string_view(dump.name) : entry->text, dump.rank, {});
}

// Dumps tell the collective itself: who has not come to it, who called another one.
std::optional<FoundCause> by_flights(const std::vector<FlightVerdict>& verdicts,
                                     const RunLog& run) {
  if (verdicts.empty()) return {};
  const FlightVerdict& verdict = verdicts.front();
  const FlightCall& first = verdict.waiting.front();
  const auto odd = std::ranges::find_if(verdict.waiting, [&](const FlightCall& call) {
    return call.entry->operation != first.entry->operation ||
           call.entry->sizes != first.entry->sizes;
  });
  FoundCause cause;
  if (!verdict.behind.empty()) {
    const FlightBehind& behind = verdict.behind.front();
    cause = cause_at(kBehind, Certainty::Likely, event_of(*behind.dump, behind.entry));
    std::vector<const FlightDump*> all;
    for (const FlightBehind& one : verdict.behind) {
      all.push_back(one.dump);
      if (one.dump->rank >= 0) cause.ranks.push_back(one.dump->rank);
    }
    cause.root.captures = {{"behind", rank_words(all)},
                           {"sequence", std::to_string(verdict.sequence)},
                           {"operation", first.entry->operation}};
  } else if (verdict.unlike && odd != verdict.waiting.end()) {
    cause = cause_at(kDeadlock, Certainty::Likely, event_of(*odd->dump, odd->entry));
    cause.root.captures = {{"sequence", std::to_string(verdict.sequence)},
                           {"one", rank_word(*first.dump)},
                           {"operation", first.entry->operation + " " + first.entry->sizes},
                           {"another", rank_word(*odd->dump)},
                           {"unlike", odd->entry->operation + " " + odd->entry->sizes}};
  } else if (verdict.together() && verdict.waiting.size() > 1) {
    return cause_at(run.last_ready >= 0 ? kDeadlock : kTransfers, Certainty::Possible,
                    event_of(*first.dump, first.entry));
  } else {
    return {};
  }
  cause.evidence.push_back(event_of(*first.dump, first.entry));
  return cause;
}

std::optional<FoundCause> by_stacks(const Waits& waits, const RunLog& run) {
  if (!waits.behind.empty()) {
    const Wait& odd = waits.all[waits.behind.front()];
    FoundCause cause = cause_at(kBehind, Certainty::Likely, event_of(odd));
    if (waits.most) cause.evidence.push_back(event_of(waits.all[*waits.most]));
    for (const std::size_t i : waits.behind) {
      if (waits.all[i].process->rank >= 0) cause.ranks.push_back(waits.all[i].process->rank);
    }
    return cause;
  }
  if (waits.out_of_step) {
    FoundCause cause = cause_at(kDeadlock, Certainty::Likely, event_of(waits.all.front()));
    cause.evidence.push_back(event_of(waits.all.back()));
    return cause;
  }
  if (!waits.together || !waits.most) return {};
  return cause_at(run.last_ready >= 0 ? kDeadlock : kTransfers, Certainty::Possible,
                  event_of(waits.all[*waits.most]));
}

std::optional<FoundCause> by_nccl(const NcclLog& log) {
  for (const NcclVerdict& verdict : verdicts_of(log)) {
    if (verdict.unfinished.empty()) return {};  // the unfinished stand first
    const auto& ranks = verdict.group->ranks;
    const auto waiting = std::ranges::find_if(
        ranks, [](const NcclRank& rank) { return !rank.completed && !rank.ended; });
    const bool missing = !verdict.absent.empty();
    // All of them began: what they wait for is one another's memory, where they reach into it.
    const bool peers = std::ranges::any_of(
        verdict.ways, [](const NcclWay& way) { return way.how.starts_with("P2P"); });
    if (!missing && !peers) continue;
    FoundCause cause = cause_at(
        missing ? kNeverJoined : kTransfers, missing ? Certainty::Likely : Certainty::Possible,
        event_at(waiting->began, waiting->text, waiting->rank, waiting->process));
    cause.ranks = missing ? verdict.absent : verdict.unfinished;
    if (missing)
      cause.root.captures = {{"size", std::to_string(verdict.group->size)},
                             {"absent", rank_list(verdict.absent)}};
    return cause;
  }
  return {};
}

}  // namespace

void add_beside(Diagnosis& diagnosis, const Beside& beside, const RunLog& run) {
  const Waits waits = waits_of(beside.stacks);
  const auto flights = verdicts_of(beside.flights);
  if (!diagnosis.causes.empty()) {
    FoundCause& cause = diagnosis.causes.front();
    const bool hangs = std::ranges::find(kHangs, cause.name) != kHangs.end();
    if (hangs && !waits.behind.empty())
      cause.evidence.push_back(event_of(waits.all[waits.behind.front()]));
    if (hangs && !flights.empty() && !flights.front().behind.empty())
      cause.evidence.push_back(
          event_of(*flights.front().behind.front().dump, flights.front().behind.front().entry));
    return;
  }
  if (auto dumped = by_flights(flights, run)) {
    diagnosis.causes.push_back(std::move(*dumped));
  } else if (auto cause = by_stacks(waits, run)) {
    diagnosis.causes.push_back(std::move(*cause));
  } else if (run.last_ready < 0) {
    if (auto joined = by_nccl(beside.nccl)) diagnosis.causes.push_back(std::move(*joined));
  }
  if (!diagnosis.causes.empty()) diagnosis.healthy = false;
}

}  // namespace sx
