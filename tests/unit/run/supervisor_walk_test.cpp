// Whatever happens, in whatever order: no transition that the table forbids (the supervisor asserts
// that), no engine started while one of the same replica may still run, and it can be taken down.
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "run/reason_words.h"
#include "supervisor_story.h"

namespace sx {
namespace {

using std::chrono::seconds;

// A world that answers what it was asked, late and in any order, and has ideas of its own.
class Walk {
 public:
  explicit Walk(unsigned seed)
      : random_(seed),
        deployment_(test::deployment_of({{"TP4", 2}, {"TP2", 3}}, {{"TP1", 1}})),
        supervisor_(deployment_, Patience{}, 0, roll(2) == 0) {
    supervisor_.begin(now_);
    hear();
  }

  void step() {
    now_ += std::chrono::milliseconds(roll(3) == 0 ? roll(400'000) : roll(3'000));
    switch (roll(6)) {
      case 0:
        return happens(anything());
      case 1:
        return happens(Tick{});
      case 2:
        return end_one(roll(40) == 0);
      default:
        return answer_one();
    }
  }

  // Everybody does what is asked. Whether all has ended then.
  bool down() {
    happens(AskDown{});
    for (int i = 0; i < 500 && !supervisor_.finished(); ++i) {
      while (!owed_.empty()) answer_one();
      for (const Attempt of : std::exchange(asked_to_end_, {})) end(of);
      now_ += seconds(5);
      happens(Tick{});
    }
    return supervisor_.finished() && running_.empty();
  }

  const std::vector<std::string>& faults() const { return faults_; }

 private:
  int roll(int sides) { return std::uniform_int_distribution<int>(0, sides - 1)(random_); }

  Attempt some() {
    const auto all = supervisor_.view();
    if (all.empty()) return {};
    Attempt of = all.at(static_cast<std::size_t>(roll(static_cast<int>(all.size())))).attempt;
    if (roll(10) == 0) of.start -= 1;    // late, of an earlier start
    if (roll(50) == 0) of.replica = 99;  // of a larger layout
    return of;
  }

  Event anything() {
    const auto is = static_cast<HealthTold::Is>(roll(5));
    switch (roll(10)) {
      case 0:
        return EngineStarted{some()};
      case 1:
        return StageReached{.of = some(), .stage = "load", .percent = roll(100)};
      case 2:
        return Frozen{.of = some(), .since = seconds(60)};
      case 3:
        return WarmedUp{.of = some(), .good = roll(2) == 0, .words = ""};
      case 4:
        return roll(4) == 0 ? Event(AskRestart{some().replica}) : Event(Tick{});
      case 5:
        return roll(8) == 0 ? Event(AskDrain{some().replica}) : Event(Tick{});
      case 6:
        return roll(10) == 0 ? Event(AskReload{another()}) : Event(Tick{});
      default:
        return HealthTold{.of = some(), .is = roll(2) == 0 ? HealthTold::Is::Ready : is};
    }
  }

  // Some replicas as they are, some with other flags, over other cards.
  Deployment another() {
    Deployment wanted = deployment_;
    for (DeployedLayout& layout : wanted.layouts) {
      layout.replicas.resize(static_cast<std::size_t>(1 + roll(4)), layout.replicas.front());
      for (EngineLaunch& launch : layout.replicas) {
        if (roll(2) == 0) launch.words.push_back("-v" + std::to_string(roll(3)));
        if (roll(2) == 0) launch.gpus = {roll(4)};
        launch.port = 9000 + roll(6);
        launch.model = roll(4) == 0 ? "other" : "";
      }
    }
    return wanted;
  }

  void end(Attempt of) {
    if (std::erase(running_, of) == 0) return;
    const std::optional<int> code = roll(3) == 0 ? std::nullopt : std::optional(roll(2));
    happens(EngineEnded{.of = of, .code = code, .signal = {}});
  }

  void end_one(bool by_itself) {
    if (by_itself && !running_.empty())
      return end(running_.at(static_cast<std::size_t>(roll(static_cast<int>(running_.size())))));
    if (asked_to_end_.empty()) return;
    const Attempt of = asked_to_end_.front();
    asked_to_end_.pop_front();
    end(of);
  }

  void answer_one() {
    if (owed_.empty()) return;
    const auto at = owed_.begin() + roll(static_cast<int>(owed_.size()));
    const Event event = *at;
    owed_.erase(at);
    happens(event);
  }

  void happens(const Event& event) {
    supervisor_.take(event, now_);
    hear();
  }

  void hear() {
    for (const Action& action : supervisor_.actions())
      std::visit([&](const auto& one) { act(one); }, action);
    for (const Transition& told : supervisor_.transitions()) {
      // "oom" is what this walk calls a cause: the one word that is not the supervisor's own.
      if (told.reason != "oom" && !reason_words(told.reason))
        faults_.push_back("no words for the reason " + told.reason);
    }
  }

  void act(const StartEngine& action) {
    const bool runs = std::ranges::any_of(
        running_, [&](Attempt other) { return other.replica == action.of.replica; });
    if (runs) faults_.push_back("two engines of replica " + std::to_string(action.of.replica));
    if (roll(20) == 0) {
      owed_.emplace_back(
          NotStarted{.of = action.of, .cause = "program-absent", .words = {"w", "w"}});
      return;
    }
    running_.push_back(action.of);
  }
  void act(const StopEngine& action) { asked_to_end_.push_back(action.of); }
  void act(const DrainRequests& action) { owed_.emplace_back(Drained{action.of}); }
  void act(const Release& action) { owed_.emplace_back(Released{action.of}); }
  void act(const WarmUp& action) {
    owed_.emplace_back(WarmedUp{.of = action.of, .good = roll(5) > 0, .words = ""});
  }
  void act(const FindCause& action) {
    CauseFound found{.of = action.of, .name = roll(3) == 0 ? "" : "oom", .code = "", .title = ""};
    found.again = static_cast<CauseFound::Again>(roll(3));
    found.of_layout = roll(2) == 0;
    owed_.emplace_back(found);
  }
  void act(const AskHealth&) {}
  void act(const PublishRoutes&) {}
  void act(const LayoutProven&) {}
  void act(const TurnedBack&) {}
  void act(const Changed&) {}
  void act(const Buried&) {}
  void act(const Finished&) {}

  std::mt19937 random_;
  Deployment deployment_;
  Moment now_{};
  std::vector<Event> owed_;
  std::deque<Attempt> asked_to_end_;
  std::vector<Attempt> running_;
  std::vector<std::string> faults_;
  Supervisor supervisor_;
};

TEST(SupervisorWalk, WhateverHappensItCanBeTakenDown) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Walk walk(seed);
    const unsigned steps = 10 + seed % 300;
    for (unsigned i = 0; i < steps; ++i) walk.step();
    ASSERT_TRUE(walk.faults().empty()) << walk.faults().front() << ", seed " << seed;
    ASSERT_TRUE(walk.down()) << "seed " << seed;
    ASSERT_TRUE(walk.faults().empty()) << walk.faults().front() << ", seed " << seed;
  }
}

}  // namespace
}  // namespace sx
