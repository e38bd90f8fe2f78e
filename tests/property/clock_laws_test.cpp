// A clock that starts anywhere, or was set forward while nothing ran, changes nothing: the
// supervisor asks how long ago something was, never what time it is.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "run/supervisor.h"

namespace sx {
namespace {

Deployment two_layouts() {
  Deployment deployment{.name = "clock"};
  for (int i = 0; i < 2; ++i) {
    DeployedLayout layout{.label = "layout " + std::to_string(i), .replicas = {}, .proves = ""};
    for (int r = 0; r < 2; ++r) {
      layout.replicas.push_back({.engine = "vllm", .words = {"vllm"}});
      layout.replicas.back().port = 10 * i + r + 1;
    }
    deployment.layouts.push_back(layout);
  }
  return deployment;
}

// What the world says next of a replica, by one number.
Event said(int dice, Attempt of) {
  switch (dice % 8) {
    case 0:
      return StageReached{.of = of, .stage = "load"};
    case 1:
    case 2:
      return HealthTold{.of = of, .is = HealthTold::Is::Ready};
    case 3:
      return WarmedUp{.of = of, .good = true, .words = ""};
    case 4:
      return HealthTold{.of = of, .is = HealthTold::Is::Silent};
    case 5:
      return EngineEnded{.of = of, .code = 1, .signal = {}};
    case 6:
      return AskRestart{of.replica};
    default:
      return Tick{};
  }
}

// Every transition of a life that these numbers tell, with its time since the beginning.
std::vector<std::string> life(const std::vector<int>& dice, Moment began) {
  const Deployment deployment = two_layouts();
  Supervisor supervisor(deployment, Patience{}, 0, false);
  Moment now = began;
  std::vector<std::string> told;
  std::deque<Event> owed;
  const auto look = [&] {
    for (const Action& action : supervisor.actions()) {
      if (const auto* stop = std::get_if<StopEngine>(&action))
        owed.emplace_back(EngineEnded{.of = stop->of, .code = 0, .signal = {}});
      if (const auto* release = std::get_if<Release>(&action))
        owed.emplace_back(Released{release->of});
      if (const auto* cause = std::get_if<FindCause>(&action)) {
        CauseFound found{};
        found.of = cause->of;
        found.name = "x";
        owed.emplace_back(found);
      }
    }
    for (const Transition& one : supervisor.transitions())
      told.push_back(std::to_string((one.at - began).count()) + ' ' + std::to_string(one.replica) +
                     ' ' + std::string(word_of(one.to)) + ' ' + one.reason);
    if (const auto wake = supervisor.next_wake())
      told.push_back("wake " + std::to_string((*wake - began).count()));
  };
  supervisor.begin(now);
  look();
  for (const int one : dice) {
    now += Moment(one % 7 == 0 ? one % 400'000 : one % 3'000);
    const auto views = supervisor.view();
    const Attempt of = views[static_cast<std::size_t>(one / 8) % views.size()].attempt;
    supervisor.take(said(one, of), now);
    look();
    while (!owed.empty()) {
      const Event next = owed.front();
      owed.pop_front();
      supervisor.take(next, now);
      look();
    }
  }
  return told;
}

RC_GTEST_PROP(Clock, OnlyHowLongAgoCounts, ()) {
  const auto dice = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1'000'000));
  const Moment other(*rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 50U));
  RC_ASSERT(life(dice, Moment(0)) == life(dice, other));
}

}  // namespace
}  // namespace sx
