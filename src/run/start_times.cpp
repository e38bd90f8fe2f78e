// The middle of earlier times, stage by stage: one slow start, with cold files, does not decide.
#include "run/start_times.h"

#include <algorithm>

#include "base/strings.h"

namespace sx {
namespace {

constexpr std::size_t kMostStages = 32;  // phases are a dozen
constexpr std::int64_t kLongest =
    std::int64_t{30} * 86'400'000;  // milliseconds; no stage takes a month
constexpr int kAlmost = 99;         // it is not ready before it is
constexpr std::string_view kBegin = "begin";

Moment middle(std::vector<Moment> times) {
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

// The stages of the latest start, each with the middle of its times in all of them.
StartTimes typical(const std::vector<StartTimes>& earlier) {
  StartTimes all = earlier.back();
  for (StageTime& stage : all) {
    std::vector<Moment> times;
    for (const StartTimes& start : earlier) {
      const auto same = std::ranges::find(start, stage.stage, &StageTime::stage);
      if (same != start.end()) times.push_back(same->took);
    }
    stage.took = middle(std::move(times));
  }
  return all;
}

}  // namespace

std::string start_words(const StartTimes& times) {
  std::string words;
  for (const StageTime& stage : times) {
    words += (words.empty() ? "" : " ") + stage.stage + ':' + std::to_string(stage.took.count());
  }
  return words;
}

StartTimes read_start(std::string_view words) {
  StartTimes times;
  while (!words.empty() && times.size() < kMostStages) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string_view one = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    const std::size_t colon = one.rfind(':');
    if (colon == std::string_view::npos || colon == 0) continue;
    const auto took = to_integer(one.substr(colon + 1));
    if (took && *took >= 0 && *took <= kLongest)
      times.push_back({.stage = std::string(one.substr(0, colon)), .took = Moment(*took)});
  }
  return times;
}

StartClock::StartClock(Moment began)
    : stages_{{.stage = std::string(kBegin), .took = {}}}, since_(began) {}

void StartClock::reached(const std::string& stage, Moment now) {
  const bool known = std::ranges::find(stages_, stage, &StageTime::stage) != stages_.end();
  if (stage.empty() || known || stages_.size() >= kMostStages) return;
  stages_.back().took = now - since_;
  stages_.push_back({.stage = stage, .took = {}});
  since_ = now;
}

StartTimes StartClock::until(Moment now) const {
  StartTimes times = stages_;
  times.back().took = now - since_;
  return times;
}

int StartClock::furthest(int percent) {
  furthest_ = std::max(furthest_, percent);
  return furthest_;
}

std::optional<Outlook> outlook(const std::vector<StartTimes>& earlier, StartClock& clock,
                               int stage_percent, Moment now) {
  if (earlier.empty() || earlier.back().empty()) return std::nullopt;
  const StartTimes usual = typical(earlier);
  Moment all{0};
  for (const StageTime& stage : usual) all += stage.took;
  if (all.count() <= 0) return std::nullopt;
  Moment done{0};
  bool found = false;
  for (const StageTime& stage : usual) {
    if (stage.stage != clock.stage()) {
      done += stage.took;
      continue;
    }
    found = true;
    const Moment told =
        stage_percent > 0 ? stage.took * std::min(stage_percent, 100) / 100 : Moment(0);
    done += std::clamp(clock.in_stage(now), told, std::max(told, stage.took));
    break;
  }
  if (!found) {  // a stage that earlier starts did not have: by time alone
    done = Moment(0);
    for (const StageTime& stage : clock.until(now)) done += stage.took;
  }
  done = std::min(done, all);
  // After a stage that earlier starts passed unseen the usual share is the smaller one.
  const auto percent = static_cast<int>(done.count() * 100 / all.count());
  return Outlook{.percent = clock.furthest(std::min(kAlmost, percent)), .left = all - done};
}

}  // namespace sx
