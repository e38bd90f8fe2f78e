// Whatever happens, in whatever order: the supervisor takes no illegal step (it asserts them),
// never has two engines of one replica, brings every reload to its end, and always comes to an end
// itself when it is asked to.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
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
      layout.replicas.back().port = 10 * i + r + 1;
    }
    (i < layouts ? deployment.layouts : deployment.rungs).push_back(layout);
  }
  return deployment;
}

// Two models whose layouts are listed in all combinations, each with rungs of its own.
Deployment two_models(int layouts_of_a, int layouts_of_b, int rungs) {
  Deployment deployment{.name = "laws"};
  const auto replica = [](const std::string& model, int gpus, int port) {
    EngineLaunch launch{.engine = "vllm", .words = {"vllm", model}};
    launch.model = model;
    launch.port = port;
    launch.gpus.resize(static_cast<std::size_t>(gpus), model == "a" ? 0 : 1);
    return launch;
  };
  for (int a = 0; a < layouts_of_a; ++a) {
    for (int b = 0; b < layouts_of_b; ++b) {
      deployment.layouts.push_back({.label = std::to_string(a) + " + " + std::to_string(b),
                                    .replicas = {replica("a", layouts_of_a - a, 10 + a),
                                                 replica("b", layouts_of_b - b, 20 + b)},
                                    .proves = ""});
    }
  }
  for (const std::string model : {"a", "b"}) {
    for (int gpus = 1; gpus <= rungs; ++gpus)
      deployment.rungs.push_back(
          {.label = model, .replicas = {replica(model, gpus, 40 + gpus)}, .proves = "it starts"});
  }
  return deployment;
}

// A machine where engines start, end, stall and answer as dice say; it holds what really runs.
class World {
 public:
  // `adopted`: so many replicas run already, left by an earlier daemon.
  World(const Deployment& deployment, bool ladder, int adopted, std::vector<bool> left_out)
      : left_out_(left_out), supervisor_(deployment, Patience{}, 0, ladder, std::move(left_out)) {
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
    if (replicas.empty()) return pass(std::chrono::seconds(1));
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
        end(of, dice % 5 == 0);
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
        if (dice % 3 == 0) return reload(dice / 3);
        tell(AskDrain{view.index});
        break;
      default:
        pass(std::chrono::seconds(1));
        break;
    }
  }

  // Everybody does from now on what is asked of them.
  void come_to_an_end(bool at_once) {
    tell(AskDown{.at_once = at_once});
    for (int i = 0; i < 1000 && !supervisor_.finished(); ++i) {
      while (!running_.empty() && !stopping_.empty()) end(*stopping_.begin());
      while (!causes_.empty()) answer_cause(0);
      while (!releases_.empty()) answer_release();
      for (const ReplicaView& view : supervisor_.view()) tell(Drained{view.attempt});
      pass(std::chrono::seconds(50));
    }
  }

  // Everybody does what is asked of them, and every start works: a change comes to its end, and
  // what runs is what was wanted last.
  void let_all_work() {
    for (int i = 0; i < 400; ++i) {
      while (!stopping_.empty()) end(*stopping_.begin());
      while (!causes_.empty()) answer_cause(0);
      while (!releases_.empty()) answer_release();
      for (const ReplicaView& view : supervisor_.view()) {
        const Attempt of = view.attempt;
        if (view.state == ReplicaState::Draining) tell(Drained{of});
        if (view.state == ReplicaState::Starting)
          tell(HealthTold{.of = of, .is = HealthTold::Is::Ready});
        if (view.state == ReplicaState::Warming)
          tell(WarmedUp{.of = of, .good = true, .words = ""});
        if (view.state == ReplicaState::Suspect)
          tell(HealthTold{.of = of, .is = HealthTold::Is::Ready});
      }
      pass(std::chrono::seconds(5));
    }
  }

  // The same for one model alone; the other is left to itself.
  void let_one_work(const std::string& model) {
    while (!stopping_.empty()) end(*stopping_.begin());
    while (!causes_.empty()) answer_cause(0);
    while (!releases_.empty()) answer_release();
    for (const ReplicaView& view : supervisor_.view()) {
      if (view.launch->model != model) continue;
      const Attempt of = view.attempt;
      tell(HealthTold{.of = of, .is = HealthTold::Is::Ready});
      tell(WarmedUp{.of = of, .good = true, .words = ""});
    }
    pass(std::chrono::seconds(5));
  }
  void let_time_pass(int dice) {
    // What is asked of engines is done, so that nothing is late.
    while (!stopping_.empty()) end(*stopping_.begin());
    while (!causes_.empty()) answer_cause(dice);
    while (!releases_.empty()) answer_release();
    for (const ReplicaView& view : supervisor_.view()) {
      if (view.state == ReplicaState::Ready)
        tell(HealthTold{.of = view.attempt, .is = HealthTold::Is::Ready});
    }
    pass(std::chrono::seconds(dice % 3 * 20));
  }

  // Each wanted launch has its replica, and nothing else runs.
  void what_runs_is_what_is_wanted() const {
    RC_ASSERT(!supervisor_.change());
    std::multiset<int> wanted, there;
    for (const EngineLaunch& launch : supervisor_.layout().replicas) wanted.insert(launch.port);
    for (const ReplicaView& view : supervisor_.view()) {
      RC_ASSERT(!view.retires);
      there.insert(view.launch->port);
    }
    RC_ASSERT(there == wanted);
  }

  // What happens to one model is nothing to the other: it is not ended, not started again, and its
  // layout stays what it was.
  void only_touches(const std::string& model) { only_ = model; }

  bool may_reload() const { return supervisor_.may_change(); }
  void reload(int dice) {
    Deployment wanted{.name = "laws"};
    DeployedLayout layout{.label = "reloaded", .replicas = {}, .proves = ""};
    for (int r = 0; r < 1 + dice % 4; ++r) {
      layout.replicas.push_back({.engine = "vllm", .words = {"vllm"}});
      layout.replicas.back().port = 1000 + dice / 4 % 3 + r;
      if (dice % 5 == 0) layout.replicas.back().gpus = {r};
    }
    wanted.layouts.push_back(layout);
    tell(AskReload{wanted});
  }

  // The engine of that model ends, and the cause is as the dice say.
  void fails(const std::string& model, int dice) {
    for (const ReplicaView& view : supervisor_.view()) {
      if (view.launch->model != model) continue;
      const Attempt of = view.attempt;
      end(of);
      while (!causes_.empty()) answer_cause(dice);
      while (!releases_.empty()) answer_release();
      return;
    }
  }
  bool serves(const std::string& model) const {
    for (const ReplicaView& view : supervisor_.view()) {
      if (view.launch->model == model && supervisor_.serves(view.index)) return true;
    }
    return false;
  }
  const EngineLaunch& wanted(const std::string& model) const {
    const auto& all = supervisor_.layout().replicas;
    return *std::ranges::find(all, model, &EngineLaunch::model);
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
    const bool asked = std::holds_alternative<AskRestart>(event) ||
                       std::holds_alternative<AskReload>(event) ||
                       std::holds_alternative<Adopted>(event);
    announced_.reset();
    if (!asked) announced_ = supervisor_.coming();
    supervisor_.take(event, now_);
    obey();
  }

  // Whoever was told that nothing comes was told the truth: what starts or serves by itself was to
  // be waited for before.
  void see_that_it_was_announced(const Transition& one) const {
    const bool comes = one.to == ReplicaState::Starting || one.to == ReplicaState::Ready;
    if (!announced_ || !comes) return;
    for (const ReplicaView& view : supervisor_.view()) {
      if (view.index == one.replica) RC_ASSERT(announced_->contains(view.launch->model));
    }
  }

  // `absent`: it never ran, there is no such program.
  void end(Attempt of, bool absent = false) {
    const auto found = running_.find({of.replica, of.start});
    stopping_.erase(of);
    if (found == running_.end()) return;
    running_.erase(found);
    if (absent) return tell(NotStarted{.of = of, .cause = "program-absent", .words = {}});
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

  // Nothing of a layout that is known not to work is started, but for the one that was asked for.
  void see_that_it_is_wanted() const {
    const std::size_t layout = supervisor_.layout_index();
    if (!supervisor_.on_ladder() && layout > 0 && layout < left_out_.size())
      RC_ASSERT(!left_out_[layout]);
  }

  void see_that_it_may_be_touched(const Action& action) const {
    if (only_.empty()) return;
    const auto of = [&](int replica) {
      for (const ReplicaView& view : supervisor_.view()) {
        if (view.index == replica) return view.launch->model;
      }
      return only_;
    };
    if (const auto* start = std::get_if<StartEngine>(&action))
      RC_ASSERT(start->launch.model == only_);
    if (const auto* stop = std::get_if<StopEngine>(&action))
      RC_ASSERT(of(stop->of.replica) == only_);
    if (const auto* proven = std::get_if<LayoutProven>(&action))
      RC_ASSERT(proven->good || proven->model == only_);
  }

  void obey() {
    see_that_it_is_wanted();
    for (const Action& action : supervisor_.actions()) {
      see_that_it_may_be_touched(action);
      if (const auto* start = std::get_if<StartEngine>(&action)) {
        // Neither its last engine nor what that left behind may still be there.
        for (const auto& [replica, number] : running_) RC_ASSERT(replica != start->of.replica);
        for (const Attempt of : releases_) RC_ASSERT(of.replica != start->of.replica);
        running_.insert({start->of.replica, start->of.start});
        RC_ASSERT(!supervisor_.finished());
      }
      if (const auto* stop = std::get_if<StopEngine>(&action)) stopping_.insert(stop->of);
      // What ran before a reload is nobody's to wait for until it has to stand in again.
      if (std::holds_alternative<TurnedBack>(action)) announced_.reset();
      if (const auto* cause = std::get_if<FindCause>(&action)) causes_.push_back(cause->of);
      if (const auto* release = std::get_if<Release>(&action)) releases_.push_back(release->of);
    }
    for (const Transition& one : supervisor_.transitions()) {
      RC_ASSERT(may_follow(one.from, one.to));
      see_that_it_was_announced(one);
    }
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
  std::optional<std::set<std::string>> announced_;  // empty: somebody asked for what happens
  std::string only_;
  std::vector<bool> left_out_;
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
  const auto left_out = *rc::gen::container<std::vector<bool>>(static_cast<std::size_t>(layouts),
                                                               rc::gen::arbitrary<bool>());
  World world(deployment, rungs > 0, adopted, left_out);
  const auto dice =
      *rc::gen::scale(4.0, rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 4800)));
  for (const int one : dice) world.step(one);
  world.come_to_an_end(*rc::gen::arbitrary<bool>());
  RC_ASSERT(world.finished());
  RC_ASSERT(!world.anything_runs());
}

RC_GTEST_PROP(SupervisorLaw, AReloadComesToItsEndWhateverHappenedBefore, ()) {
  const int replicas = *rc::gen::inRange(1, 4);
  const Deployment deployment = small_deployment(*rc::gen::inRange(1, 3), replicas, 0);
  World world(deployment, false, *rc::gen::inRange(0, replicas + 1), {});
  const auto dice =
      *rc::gen::scale(2.0, rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 4800)));
  for (const int one : dice) world.step(one);
  world.let_all_work();
  RC_PRE(world.may_reload());
  world.reload(*rc::gen::inRange(0, 1000));
  for (const int one : dice) {
    if (one % 16 != 14) world.step(one);  // nobody drains or reloads meanwhile
  }
  world.let_all_work();
  world.what_runs_is_what_is_wanted();
}

RC_GTEST_PROP(SupervisorLaw, OfTwoModelsAnyOrderOfEventsIsLegalAndDownIsAnEnd, ()) {
  const Deployment deployment =
      two_models(*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4), *rc::gen::inRange(0, 3));
  World world(deployment, !deployment.rungs.empty(), 0, {});
  const auto dice =
      *rc::gen::scale(4.0, rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 4800)));
  for (const int one : dice) world.step(one);
  world.come_to_an_end(*rc::gen::arbitrary<bool>());
  RC_ASSERT(world.finished());
  RC_ASSERT(!world.anything_runs());
}

// However often and for whatever cause the engine of one model ends: the other serves on with the
// engine that it had.
RC_GTEST_PROP(SupervisorLaw, WhatOneModelFailsOfIsNothingToTheOther, ()) {
  World world(two_models(*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4), 0), false, 0, {});
  world.let_all_work();
  const bool first = *rc::gen::arbitrary<bool>();
  const std::string model = first ? "a" : "b";
  const std::string other = first ? "b" : "a";
  RC_ASSERT(world.serves("a") && world.serves("b"));
  const EngineLaunch before = world.wanted(other);
  world.only_touches(model);
  const auto dice = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6));
  for (const int one : dice) {
    world.fails(model, one);
    world.let_time_pass(one);
    RC_ASSERT(world.serves(other));
    RC_ASSERT(world.wanted(other) == before);
    RC_ASSERT(!world.finished());
  }
}

// On the ladder too: a model that cannot climb it costs the other nothing.
RC_GTEST_PROP(SupervisorLaw, ALadderThatOneModelCannotClimbEndsWithTheOtherServing, ()) {
  World world(two_models(*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4), *rc::gen::inRange(1, 3)),
              true, 0, {});
  const std::string model = *rc::gen::arbitrary<bool>() ? "a" : "b";
  const std::string other = model == "a" ? "b" : "a";
  const int dice = *rc::gen::inRange(0, 6);
  for (int i = 0; i < 200 && !world.serves(other); ++i) {
    world.fails(model, dice);
    world.let_one_work(other);
  }
  RC_ASSERT(world.serves(other));
  RC_ASSERT(!world.finished());
}

}  // namespace
}  // namespace sx
