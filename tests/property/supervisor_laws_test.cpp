// Whatever happens, in whatever order: the supervisor takes no illegal step (it asserts them),
// never has two engines of one replica, and always comes to an end when it is asked to.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "run/supervisor.h"

namespace sx {
namespace {

Deployment small_deployment(int layouts, int replicas, int rungs) {
  Deployment deployment{.name = "laws"};
  for (int i = 0; i < layouts + rungs; ++i) {
    DeployedLayout layout{.label = "layout " + std::to_string(i), .replicas = {}, .proves = ""};
    for (int r = 0; r < replicas; ++r) {
      layout.replicas.push_back({.engine = "vllm", .words = {"vllm"}});
      layout.replicas.back().gpus.resize(static_cast<std::size_t>(layouts + rungs - i));
    }
    (i < layouts ? deployment.layouts : deployment.rungs).push_back(layout);
  }
  return deployment;
}

// A machine where engines start, end, stall and answer as dice say; it holds what really runs.
class World {
 public:
  // `adopted`: so many replicas run already, left by an earlier daemon.
  World(const Deployment& deployment, bool ladder, int adopted)
      : supervisor_(deployment, Patience{}, 0, ladder) {
    for (int i = 0; i < adopted; ++i) {
      running_.insert({i, 7});
      tell(Adopted{.of = {.replica = i, .start = 7},
                   .state = i % 2 == 0 ? ReplicaState::Ready : ReplicaState::Starting});
    }
    supervisor_.begin(now_);
    obey();
  }

  void step(int dice) {
    const auto replicas = supervisor_.view();
    const auto& view = replicas[static_cast<std::size_t>(dice / 16) % replicas.size()];
    const Attempt of = view.attempt;
    switch (dice % 16) {
      case 0:
        tell(EngineStarted{of});
        break;
      case 1:
        tell(StageReached{.of = of, .stage = "load", .percent = dice % 100});
        break;
      case 2:
      case 3:
        tell(HealthTold{.of = of, .is = HealthTold::Is::Ready});
        break;
      case 4:
        tell(HealthTold{.of = of, .is = HealthTold::Is::Silent});
        break;
      case 5:
        tell(WarmedUp{.of = of, .good = dice % 3 != 0, .words = ""});
        break;
      case 6:
        tell(Frozen{.of = of, .since = std::chrono::seconds(60)});
        break;
      case 7:
        end(of);
        break;
      case 8:
      case 9:
        answer_cause(dice);
        break;
      case 10:
        answer_release();
        break;
      case 11:
        tell(Drained{of});
        break;
      case 12:
        pass(std::chrono::seconds(dice % 400));
        break;
      case 13:
        tell(AskRestart{view.index});
        break;
      case 14:
        tell(AskDrain{view.index});
        break;
      default:
        pass(std::chrono::seconds(1));
        break;
    }
  }

  // Everybody does from now on what is asked of them.
  void come_to_an_end() {
    tell(AskDown{});
    for (int i = 0; i < 1000 && !supervisor_.finished(); ++i) {
      while (!running_.empty() && !stopping_.empty()) end(*stopping_.begin());
      while (!causes_.empty()) answer_cause(0);
      while (!releases_.empty()) answer_release();
      for (const ReplicaView& view : supervisor_.view()) tell(Drained{view.attempt});
      pass(std::chrono::seconds(50));
    }
  }

  bool finished() const { return supervisor_.finished(); }
  bool anything_runs() const { return !running_.empty(); }

 private:
  void pass(Moment time) {
    const Moment until = now_ + time;
    for (int i = 0; i < 10'000; ++i) {
      const auto wake = supervisor_.next_wake();
      if (!wake || *wake > until) break;
      now_ = std::max(now_, *wake);
      tell(Tick{});
    }
    now_ = until;
  }

  void tell(const Event& event) {
    supervisor_.take(event, now_);
    obey();
  }

  void end(Attempt of) {
    const auto found = running_.find({of.replica, of.start});
    stopping_.erase(of);
    if (found == running_.end()) return;
    running_.erase(found);
    tell(EngineEnded{.of = of, .code = 1, .signal = {}});
  }

  void answer_cause(int dice) {
    if (causes_.empty()) return;
    const Attempt of = causes_.front();
    causes_.erase(causes_.begin());
    using Again = CauseFound::Again;
    CauseFound found{
        .of = of, .name = "x", .code = "", .title = "", .again = Again::Maybe, .report = ""};
    if (dice % 3 == 1) found.again = Again::Never;
    found.of_layout = dice % 2 == 1;
    tell(found);
  }

  void answer_release() {
    if (releases_.empty()) return;
    const Attempt of = releases_.front();
    releases_.erase(releases_.begin());
    RC_ASSERT(!running_.contains({of.replica, of.start}));
    tell(Released{of});
  }

  void obey() {
    for (const Action& action : supervisor_.actions()) {
      if (const auto* start = std::get_if<StartEngine>(&action)) {
        // Neither its last engine nor what that left behind may still be there.
        for (const auto& [replica, number] : running_) RC_ASSERT(replica != start->of.replica);
        for (const Attempt of : releases_) RC_ASSERT(of.replica != start->of.replica);
        running_.insert({start->of.replica, start->of.start});
      }
      if (const auto* stop = std::get_if<StopEngine>(&action)) stopping_.insert(stop->of);
      if (const auto* cause = std::get_if<FindCause>(&action)) causes_.push_back(cause->of);
      if (const auto* release = std::get_if<Release>(&action)) releases_.push_back(release->of);
    }
    for (const Transition& one : supervisor_.transitions()) RC_ASSERT(may_follow(one.from, one.to));
    for (const ReplicaView& view : supervisor_.view()) {
      const bool claims = view.state == ReplicaState::Stopped;
      if (claims) RC_ASSERT(!running_.contains({view.attempt.replica, view.attempt.start}));
    }
  }

  struct Less {
    bool operator()(Attempt a, Attempt b) const {
      return std::pair(a.replica, a.start) < std::pair(b.replica, b.start);
    }
  };

  Moment now_{0};
  Supervisor supervisor_;
  std::set<std::pair<int, int>> running_;
  std::set<Attempt, Less> stopping_;
  std::vector<Attempt> causes_, releases_;
};

RC_GTEST_PROP(SupervisorLaw, AnyOrderOfEventsIsLegalAndDownIsAnEnd, ()) {
  const int layouts = *rc::gen::inRange(1, 4);
  const int replicas = *rc::gen::inRange(1, 4);
  const int rungs = *rc::gen::inRange(0, 3);
  const Deployment deployment = small_deployment(layouts, replicas, rungs);
  const int adopted = rungs > 0 ? 0 : *rc::gen::inRange(0, replicas + 1);
  World world(deployment, rungs > 0, adopted);
  const auto dice =
      *rc::gen::scale(4.0, rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 4800)));
  for (const int one : dice) world.step(one);
  world.come_to_an_end();
  RC_ASSERT(world.finished());
  RC_ASSERT(!world.anything_runs());
}

}  // namespace
}  // namespace sx
