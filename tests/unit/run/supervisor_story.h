// A supervisor with a hand-cranked clock and a world that does what a test says. Tells what
// happened to a replica as one line of states.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "run/supervisor.h"

namespace sx::test {

using std::chrono::seconds;

inline Deployment deployment_of(std::vector<std::pair<std::string, int>> layouts,
                                std::vector<std::pair<std::string, int>> rungs = {}) {
  const auto made = [](const std::pair<std::string, int>& one, bool rung) {
    DeployedLayout layout{.label = one.first, .replicas = {}, .proves = rung ? "it starts" : ""};
    for (int i = 0; i < one.second; ++i) {
      EngineLaunch launch{.engine = "vllm", .words = {"vllm", "serve", "m"}};
      launch.port = 9000 + i;
      layout.replicas.push_back(launch);
    }
    return layout;
  };
  Deployment deployment{.name = "test"};
  for (const auto& one : layouts) deployment.layouts.push_back(made(one, false));
  for (const auto& one : rungs) deployment.rungs.push_back(made(one, true));
  return deployment;
}

class Story {
 public:
  explicit Story(Deployment deployment, bool ladder = false, std::vector<bool> left_out = {})
      : deployment_(std::move(deployment)),
        supervisor_(deployment_, Patience{}, 0, ladder, std::move(left_out)) {
    supervisor_.begin(now_);
    settle();
  }

  // Answers to actions, given at once; empty: the world stays silent.
  std::function<std::vector<Event>(const Action&)> world;

  void happens(const Event& event) {
    supervisor_.take(event, now_);
    settle();
  }

  // Time passes in the steps in which the supervisor wants to be woken.
  void pass(seconds time) {
    const Moment until = now_ + time;
    for (int i = 0; i < 100'000; ++i) {
      const auto wake = supervisor_.next_wake();
      if (!wake || *wake > until) break;
      now_ = std::max(now_, *wake);
      happens(Tick{});
    }
    now_ = until;
  }

  Attempt attempt(int replica = 0) const {
    return supervisor_.view().at(static_cast<std::size_t>(replica)).attempt;
  }
  ReplicaState state(int replica = 0) const {
    return supervisor_.view().at(static_cast<std::size_t>(replica)).state;
  }
  const Supervisor& supervisor() const { return supervisor_; }
  const std::vector<Transition>& transitions() const { return transitions_; }

  void ready(int replica = 0) {
    happens(EngineStarted{attempt(replica)});
    happens(HealthTold{.of = attempt(replica), .is = HealthTold::Is::Ready});
    happens(WarmedUp{.of = attempt(replica), .good = true, .words = ""});
  }
  void ends(int replica, int code) {
    happens(EngineEnded{.of = attempt(replica), .code = code, .signal = {}});
  }
  void cause(int replica, std::string name, CauseFound::Again again, bool of_layout = false) {
    CauseFound found{.of = attempt(replica),
                     .name = std::move(name),
                     .code = "",
                     .title = "",
                     .again = again,
                     .of_layout = of_layout,
                     .report = ""};
    happens(found);
    happens(Released{found.of});
  }

  // "planned, starting, …" of one replica, across all its starts.
  std::string told(int replica = 0) const {
    std::string line = "planned";
    for (const Transition& one : transitions_) {
      if (one.replica == replica) line += ", " + std::string(word_of(one.to));
    }
    return line;
  }
  template <class A>
  int count() const {
    return static_cast<int>(std::ranges::count_if(
        actions_, [](const Action& action) { return std::holds_alternative<A>(action); }));
  }
  template <class A>
  const A& last() const {
    for (auto it = actions_.rbegin(); it != actions_.rend(); ++it) {
      if (const A* found = std::get_if<A>(&*it)) return *found;
    }
    throw std::out_of_range("no such action");
  }

 private:
  void settle() {
    for (int i = 0; i < 1000; ++i) {
      for (Transition& one : supervisor_.transitions()) transitions_.push_back(std::move(one));
      const auto actions = supervisor_.actions();
      if (actions.empty()) return;
      for (const Action& action : actions) {
        actions_.push_back(action);
        if (!world) continue;
        for (const Event& event : world(action)) supervisor_.take(event, now_);
      }
    }
    throw std::runtime_error("the supervisor does not come to rest");
  }

  Deployment deployment_;
  Moment now_{1'000'000};
  Supervisor supervisor_;
  std::vector<Action> actions_;
  std::vector<Transition> transitions_;
};

}  // namespace sx::test
