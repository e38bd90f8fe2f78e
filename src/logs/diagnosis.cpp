// Every line that could be the root is read in its place; the nearest to the root wins, the first
// among equals. What only passes a failure on is counted.
#include "logs/diagnosis.h"

#include <algorithm>

#include "logs/refine.h"

namespace sx {
namespace {

constexpr std::size_t kMostEvidence = 4;
constexpr int kChained = 25;  // farther from the root for every error that another one led to
constexpr int kRequest = 45;  // a refused request is an answer only when nothing worse is said
constexpr std::string_view kWaiting = "ranks-waiting";  // ends with the server
constexpr double kStopSeconds = 2;                      // stamps of vLLM count whole seconds
constexpr std::string_view kLineBefore = "line-before";
constexpr int kSure = 40;  // from here on a line says that something failed, not what

struct Candidate {
  const LogEvent* event = nullptr;
  Reading reading;
  int distance = 0;
};

// An earlier start that failed, and a later one that serves: that is over.
bool is_over(const LogEvent& event, const RunLog& run) {
  return event.start < run.last_ready && event.start < run.starts - 1 && event.place.file == 0;
}

// What was only remarked in a start that came to serve all the same.
bool was_survived(const LogEvent& event, const RunLog& run) {
  const LogLevel level = event.place.level;
  const bool remark =
      level == LogLevel::Info || level == LogLevel::Warning || level == LogLevel::Debug;
  return remark && event.phase < Phase::Ready && run.last_ready >= event.start;
}

// Who tells a server to stop and sees it end knows what it said last, and of errors without a name
// in a server that went on.
bool is_part_of_stop(const LogEvent& event, const RunLog& run) {
  const LogEvent* const asked = run.mark("shutdown-asked");
  if (asked == nullptr || !run.ended_well || event.row->kind != SignatureKind::Symptom)
    return false;
  if (event.row->certainty == Certainty::Possible) return true;
  if (event.row->cause != kWaiting) return false;
  const double apart = asked->place.seconds - event.place.seconds;
  return event.place.seconds >= 0 && apart >= 0 && apart <= kStopSeconds;
}

std::vector<Candidate> candidates(const RunLog& run) {
  std::vector<Candidate> all;
  for (const LogEvent& event : run.events) {
    const bool request = event.row->kind == SignatureKind::Request;
    // Who ends a server on purpose knows of the requests that it refused.
    if (request && run.ended_well) continue;
    if (is_over(event, run) || was_survived(event, run) || is_part_of_stop(event, run)) continue;
    Candidate one{
        .event = &event,
        .reading = read_in_place(event, run),
        .distance = event.row->rank + (event.chained ? kChained : 0) + (request ? kRequest : 0)};
    if (one.reading.cause.empty()) continue;
    all.push_back(std::move(one));
  }
  return all;
}

bool before(const LogPlace& a, const LogPlace& b) {
  return a.file != b.file ? a.file < b.file : a.line < b.line;
}

// Lines that are no answer of their own: wrappers, symptoms, and the same words again.
std::uint64_t echoes_of(const RunLog& run, const LogEvent& root) {
  const bool counted =
      root.row->kind == SignatureKind::Root || root.row->kind == SignatureKind::Symptom;
  return run.error_lines - (counted && run.error_lines > 0 ? 1 : 0);
}

std::vector<int> ranks_of(const std::vector<Candidate>& all, const Candidate& best) {
  std::vector<int> ranks;
  for (const Candidate& one : all) {
    if (one.reading.cause == best.reading.cause && one.event->place.rank >= 0)
      ranks.push_back(one.event->place.rank);
  }
  std::ranges::sort(ranks);
  const auto rest = std::ranges::unique(ranks);
  ranks.erase(rest.begin(), rest.end());
  return ranks;
}

// Marks that decided, then other words for the same cause.
std::vector<LogEvent> evidence_of(const RunLog& run, const std::vector<Candidate>& all,
                                  const Candidate& best, const LogEvent& root) {
  std::vector<LogEvent> evidence;
  const auto add = [&](const LogEvent& event) {
    const auto same = [&](const LogEvent& one) {
      return one.place.file == event.place.file && one.place.line == event.place.line;
    };
    if (evidence.size() < kMostEvidence && !same(root) && std::ranges::none_of(evidence, same))
      evidence.push_back(event);
  };
  add(*best.event);  // where a mark is the root
  for (const std::string_view name : best.reading.because) {
    if (const LogEvent* mark = run.mark(name)) add(*mark);
  }
  for (const Candidate& one : all) {
    if (one.reading.cause == best.reading.cause && one.event->row != best.event->row)
      add(*one.event);
  }
  return evidence;
}

// Some say it above the line that is known by its words.
LogEvent root_of(const Candidate& best) {
  LogEvent root = *best.event;
  if (best.reading.at != kLineBefore || root.before.empty() || root.place.line < 2) return root;
  root.place.text = root.before;
  root.place.line -= 1;
  root.place.column = 1;
  root.place.begin = 0;
  root.place.end = root.place.text.size();
  return root;
}

}  // namespace

Diagnosis diagnose(const RunLog& run) {
  Diagnosis answer;
  const auto all = candidates(run);
  const auto best = std::ranges::min_element(all, [](const Candidate& a, const Candidate& b) {
    return a.distance != b.distance ? a.distance < b.distance
                                    : before(a.event->place, b.event->place);
  });
  if (best == all.end()) {
    answer.healthy = run.last_ready >= 0;
    return answer;
  }
  const LogEvent* const mark = best->reading.at.empty() ? nullptr : run.mark(best->reading.at);
  const LogEvent root = mark != nullptr ? *mark : root_of(*best);
  FoundCause cause{.name = best->reading.cause,
                   .certainty = best->reading.certainty,
                   .root = root,
                   .evidence = evidence_of(run, all, *best, root),
                   .echoes = echoes_of(run, root),
                   .ranks = ranks_of(all, *best)};
  const bool request = best->event->row->kind == SignatureKind::Request;
  if (best->distance >= kSure && !request && cause.certainty == Certainty::Certain)
    cause.certainty = Certainty::Likely;
  answer.causes.push_back(std::move(cause));
  return answer;
}

}  // namespace sx
