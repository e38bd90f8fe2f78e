// Every line that could be the root is read in its place; the nearest to the root wins, the first
// among equals. What only passes a failure on is counted.
#include "logs/diagnosis.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "logs/candidates.h"
#include "logs/independent.h"

namespace sx {
namespace {

constexpr std::size_t kMostEvidence = 4;
constexpr std::size_t kMostCauses = 4;  // a log with more of them is a log of something else
constexpr std::string_view kLineBefore = "line-before";

// Lines that are no answer of their own: wrappers, symptoms, and the same words again.
std::uint64_t echoes_of(const RunLog& run, const LogEvent& root) {
  const bool counted =
      root.row->kind == SignatureKind::Root || root.row->kind == SignatureKind::Symptom;
  return run.error_lines - (counted && run.error_lines > 0 ? 1 : 0);
}

std::vector<int> ranks_of(const std::vector<CauseCandidate>& all, const CauseCandidate& best) {
  std::vector<int> ranks;
  for (const CauseCandidate& one : all) {
    if (one.reading.cause == best.reading.cause && one.event->place.rank >= 0)
      ranks.push_back(one.event->place.rank);
  }
  std::ranges::sort(ranks);
  const auto rest = std::ranges::unique(ranks);
  ranks.erase(rest.begin(), rest.end());
  return ranks;
}

// Marks that decided, then other words for the same cause.
std::vector<LogEvent> evidence_of(const RunLog& run, const std::vector<CauseCandidate>& all,
                                  const CauseCandidate& best, const LogEvent& root) {
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
  for (const CauseCandidate& one : all) {
    if (one.reading.cause == best.reading.cause && one.event->row != best.event->row)
      add(*one.event);
  }
  return evidence;
}

// Some say it above the line that is known by its words.
LogEvent root_of(const CauseCandidate& best) {
  LogEvent root = *best.event;
  if (best.reading.at != kLineBefore || root.before.empty() || root.place.line < 2) return root;
  root.place.text = root.before;
  root.place.line -= 1;
  root.place.column = 1;
  root.place.begin = 0;
  root.place.end = root.place.text.size();
  return root;
}

// Which start of its engine a line belongs to. A log without starts of its own, as the kernel's,
// tells of the last one; where several files have starts of their own they are not compared.
class Starts {
 public:
  explicit Starts(const RunLog& run) : files_(files_with_start(run)), last_(run.starts - 1) {}
  int of(const CauseCandidate& one) const {
    if (files_.size() > 1) return last_;
    if (files_.size() == 1 && !files_.contains(one.event->place.file)) return last_;
    return one.event->start;
  }
  const std::set<int>& files() const { return files_; }

 private:
  std::set<int> files_;
  int last_ = 0;
};

// The nearest to the root of those that were said in the last start, where it says what it failed
// of; of all else.
const CauseCandidate* best_of(const std::vector<CauseCandidate>& all, const Starts& starts) {
  const CauseCandidate* best = nullptr;
  const CauseCandidate* last = nullptr;
  for (const CauseCandidate& one : all) {
    if (best == nullptr || nearer(one, *best)) best = &one;
    if (one.distance >= kSaysOnlyThat || one.event->row->kind == SignatureKind::Request) continue;
    const int start = starts.of(one);
    if (last == nullptr || start > starts.of(*last) ||
        (start == starts.of(*last) && nearer(one, *last)))
      last = &one;
  }
  // The same failure again, in weaker words: the better ones are those of the earlier start.
  const bool weaker = last != nullptr && last->reading.cause == best->reading.cause &&
                      last->distance > best->distance;
  return last == nullptr || weaker ? best : last;
}

FoundCause found(const CauseCandidate& best, const std::vector<CauseCandidate>& all,
                 const RunLog& run) {
  const LogEvent* const mark = best.reading.at.empty() ? nullptr : run.mark(best.reading.at);
  const LogEvent root = mark != nullptr ? *mark : root_of(best);
  FoundCause cause{.name = best.reading.cause,
                   .certainty = best.reading.certainty,
                   .root = root,
                   .evidence = evidence_of(run, all, best, root),
                   .ranks = ranks_of(all, best)};
  const bool request = best.event->row->kind == SignatureKind::Request;
  if (best.distance >= kSaysOnlyThat && !request && cause.certainty == Certainty::Certain)
    cause.certainty = Certainty::Likely;
  return cause;
}

bool has(const Diagnosis& answer, std::string_view name) {
  return std::ranges::find(answer.causes, name, &FoundCause::name) != answer.causes.end();
}

// What failed beside the answer and not because of it. One that is also named where the answer
// stands, or the other way round, is none of these.
void add_independent(Diagnosis& answer, const CauseCandidate& best,
                     const std::vector<CauseCandidate>& all, const RunLog& run,
                     const Starts& starts) {
  const std::vector<Placed> sorted = placed(all);
  std::vector<const Placed*> given{
      &*std::ranges::find(sorted, &best, [](const Placed& one) { return one.candidate; })};
  const auto also = [&](const Placed& cause, const Placed& where) {
    return std::ranges::any_of(sorted, [&](const Placed& p) {
      return p.candidate->reading.cause == cause.candidate->reading.cause && p.home == where.home;
    });
  };
  const auto apart = [&](const Placed& one, const Placed& other) {
    return independent(other, one, starts.files()) && !also(one, other) && !also(other, one);
  };
  for (const Placed& one : sorted) {
    if (answer.causes.size() >= kMostCauses) return;
    const CauseCandidate& candidate = *one.candidate;
    if (has(answer, candidate.reading.cause) || starts.of(candidate) != starts.of(best)) continue;
    if (!std::ranges::all_of(given, [&](const Placed* other) { return apart(one, *other); }))
      continue;
    answer.causes.push_back(found(candidate, all, run));
    given.push_back(&one);
  }
}

// What earlier starts in the same file failed of, the latest first.
void add_earlier(Diagnosis& answer, const CauseCandidate& best,
                 const std::vector<CauseCandidate>& all, const RunLog& run, const Starts& starts) {
  std::map<int, const CauseCandidate*, std::greater<>> nearest;
  for (const CauseCandidate& one : all) {
    const int start = starts.of(one);
    if (start >= starts.of(best) || one.event->row->kind == SignatureKind::Request) continue;
    const CauseCandidate*& known = nearest[start];
    if (known == nullptr || nearer(one, *known)) known = &one;
  }
  for (const auto& [start, one] : nearest) {
    if (has(answer, one->reading.cause)) continue;
    if (answer.causes.size() >= kMostCauses) return;
    answer.causes.push_back(found(*one, all, run));
    answer.causes.back().earlier = true;
  }
}

}  // namespace

Diagnosis diagnose(const RunLog& run) {
  Diagnosis answer;
  const auto all = candidates(run);
  const Starts starts(run);
  const CauseCandidate* const best = best_of(all, starts);
  if (best == nullptr) {
    answer.healthy = run.last_ready >= 0;
    return answer;
  }
  answer.causes.push_back(found(*best, all, run));
  add_independent(answer, *best, all, run, starts);
  add_earlier(answer, *best, all, run, starts);
  const std::uint64_t echoes = echoes_of(run, answer.causes.front().root);
  const std::uint64_t others = answer.causes.size() - 1;
  answer.causes.front().echoes = echoes > others ? echoes - others : 0;
  return answer;
}

}  // namespace sx
