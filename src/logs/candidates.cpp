// A later start that serves ends what an earlier one failed of; a stop on purpose ends the rest.
#include "logs/candidates.h"

namespace sx {
namespace {

constexpr int kChained = 25;  // farther from the root for every error that another one led to
constexpr int kRequest = 45;  // a refused request is an answer only when nothing worse is said
constexpr std::string_view kWaiting = "ranks-waiting";  // ends with the server
constexpr double kStopSeconds = 2;                      // stamps of vLLM count whole seconds

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

}  // namespace

std::vector<CauseCandidate> candidates(const RunLog& run) {
  std::vector<CauseCandidate> all;
  for (const LogEvent& event : run.events) {
    const bool request = event.row->kind == SignatureKind::Request;
    // Who ends a server on purpose knows of the requests that it refused.
    if (request && run.ended_well) continue;
    if (is_over(event, run) || was_survived(event, run) || is_part_of_stop(event, run)) continue;
    CauseCandidate one{
        .event = &event,
        .reading = read_in_place(event, run),
        .distance = event.row->rank + (event.chained ? kChained : 0) + (request ? kRequest : 0)};
    if (one.reading.cause.empty()) continue;
    all.push_back(std::move(one));
  }
  return all;
}

bool stands_before(const LogPlace& a, const LogPlace& b) {
  return a.file != b.file ? a.file < b.file : a.line < b.line;
}

bool nearer(const CauseCandidate& a, const CauseCandidate& b) {
  return a.distance != b.distance ? a.distance < b.distance
                                  : stands_before(a.event->place, b.event->place);
}

}  // namespace sx
