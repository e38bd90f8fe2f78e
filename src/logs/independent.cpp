// A replica cannot hurt another one but through what is listed as a consequence; ranks of one
// replica can, so that between them more is asked for.
#include "logs/independent.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "knowledge/causes.h"
#include "knowledge/consequences.h"

namespace sx {
namespace {

constexpr std::string_view kKernel = "kernel";  // who writes it, in the table of signatures
// Whoever fails first takes the other ranks along within seconds; what is said later is said of a
// group that is no more.
constexpr double kSameMoment = 5;

// "NVRM: Xid (PCI:0000:41:00): 79, …"
std::string_view gpu_in(std::string_view text) {
  constexpr std::string_view kFront = "(PCI:";
  const auto at = text.find(kFront);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + kFront.size(), 20);
  return rest.substr(0, rest.find_first_of("),. "));
}

int replica_in(std::string_view process) {
  const auto at = process.find("DP");
  if (at == process.npos) return -1;
  const std::string_view rest = process.substr(at + 2);
  const auto number = to_integer(rest.substr(0, rest.find_first_not_of("0123456789")));
  return number && *number < 1'000'000 ? static_cast<int>(*number) : -1;
}

std::string_view family_of(std::string_view name) {
  const CauseRow* const row = find_cause(name);
  return row == nullptr ? std::string_view() : row->family;
}

Home home_of(const LogEvent& event) {
  const LogPlace& place = event.place;
  Home home{.file = place.file, .process = place.process, .rank = place.rank};
  home.kernel = event.row->engine == kKernel;
  if (home.kernel) home.gpu = gpu_in(place.text);
  home.replica = replica_in(place.process);
  return home;
}

// Of two ranks or processes of one replica.
bool apart_within(const Placed& a, const Placed& b) {
  const auto known = [](const Home& home) { return !home.process.empty() || home.rank >= 0; };
  if (!known(a.home) || !known(b.home) || a.home == b.home || a.home.file != b.home.file)
    return false;
  const double before = a.candidate->event->place.seconds;
  const double after = b.candidate->event->place.seconds;
  const Reading& one = a.candidate->reading;
  const Reading& other = b.candidate->reading;
  return before >= 0 && after >= 0 && std::abs(after - before) <= kSameMoment &&
         one.certainty == Certainty::Certain && other.certainty == Certainty::Certain &&
         family_of(one.cause) != family_of(other.cause);
}

}  // namespace

std::vector<Placed> placed(const std::vector<CauseCandidate>& all) {
  std::vector<Placed> sorted;
  sorted.reserve(all.size());
  for (const CauseCandidate& one : all)
    sorted.push_back({.candidate = &one, .home = home_of(*one.event)});
  std::ranges::sort(
      sorted, [](const Placed& a, const Placed& b) { return nearer(*a.candidate, *b.candidate); });
  return sorted;
}

std::set<int> files_with_start(const RunLog& run) {
  std::set<int> files;
  for (const StageEvent& stage : run.stages) {
    if (stage.phase == Phase::Start) files.insert(stage.place.file);
  }
  return files;
}

bool independent(const Placed& answer, const Placed& other, const std::set<int>& own_start) {
  const CauseCandidate& second = *other.candidate;
  const bool plain = second.event->row->kind == SignatureKind::Root && !second.event->chained &&
                     second.distance < kSaysOnlyThat &&
                     second.reading.certainty != Certainty::Possible;
  const std::string_view a = answer.candidate->reading.cause;
  const std::string_view b = second.reading.cause;
  if (!plain || a == b || may_follow(a, b) || may_follow(b, a)) return false;
  const Home& at = answer.home;
  const Home& beside = other.home;
  if (at.kernel && beside.kernel)
    return !at.gpu.empty() && !beside.gpu.empty() && at.gpu != beside.gpu;
  if (at.kernel || beside.kernel) return true;
  if (at.replica >= 0 && beside.replica >= 0 && at.replica != beside.replica) return true;
  if (at.file != beside.file && own_start.contains(at.file) && own_start.contains(beside.file))
    return true;
  return apart_within(answer, other);
}

}  // namespace sx
