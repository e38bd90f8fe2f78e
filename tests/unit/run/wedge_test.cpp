// B8 in a clock of its own: an engine that stands still is found within 60 s and two looks; one
// that is overloaded, slow or held up by its clients never is, in an hour.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <random>

#include "run/pulse.h"

namespace sx {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kFrozenAfter{60}, kLook{5};  // as the runner has them
constexpr milliseconds kStep{100};

// Works on so many requests at a time, a token each in every step; long prompts are prefilled in
// chunks, a step each.
struct FakeEngine {
  struct Request {
    int chunks = 0, tokens = 0;
  };
  std::size_t most = 16;
  std::deque<Request> running, waiting;
  double beats = 0;
  bool wedged = false, deaf = false;

  // Whether bytes went out.
  bool step() {
    if (wedged) return false;
    while (!deaf && running.size() < most && !waiting.empty()) {
      running.push_back(waiting.front());
      waiting.pop_front();
    }
    if (running.empty()) return false;
    ++beats;
    bool bytes = false;
    for (Request& one : running) {
      if (one.chunks > 0) {
        --one.chunks;
      } else {
        --one.tokens;
        bytes = true;
      }
    }
    std::erase_if(running, [](const Request& one) { return one.tokens <= 0; });
    return bytes;
  }
  std::size_t requests() const { return running.size() + waiting.size(); }
  Pulse pulse() const {
    return {.beats = beats,
            .busy = deaf ? 0 : static_cast<double>(requests()),
            .waiting = static_cast<double>(waiting.size())};
  }
};

// What the daemon sees: metrics every few seconds, the gateway's counts every second.
struct Watched {
  FakeEngine engine;
  PulseWatch watch;
  Moment now{0};
  milliseconds step_takes{100};
  std::optional<Moment> found;

  // `before_step` puts requests in.
  void run_for(seconds time, const std::function<void(Moment)>& before_step) {
    const Moment end = now + time;
    milliseconds in_step{0};
    bool bytes = false;
    for (; now < end && !found; now += kStep) {
      before_step(now);
      in_step += kStep;
      if (in_step >= step_takes) {
        in_step = milliseconds(0);
        bytes |= engine.step();
      }
      if (now % seconds(1) == milliseconds(0)) {
        watch.note_awaiting(engine.requests());
        if (std::exchange(bytes, false)) watch.note_traffic(now);
      }
      if (now % kLook != milliseconds(0)) continue;
      const auto still = watch.look(engine.pulse(), now);
      if (still && *still >= kFrozenAfter) found = now;
    }
  }
};

// Three times as many requests as it can work on.
std::function<void(Moment)> overload(FakeEngine& engine) {
  // 16 requests of 100 tokens take 10 s: 1.6 a second are its capacity, 4.8 come.
  return [&engine, due = 0.0](Moment) mutable {
    for (due += 0.48; due >= 1; --due) engine.waiting.push_back({.chunks = 2, .tokens = 100});
  };
}

TEST(Wedge, ThreeTimesOverloadedForAnHourIsNoAlarm) {
  Watched w;
  w.run_for(seconds(3600), overload(w.engine));
  EXPECT_FALSE(w.found);
  EXPECT_GT(w.engine.waiting.size(), 5000U);  // it was overloaded
}

TEST(Wedge, ATokenIn30SecondsForAnHourIsNoAlarm) {
  Watched w;
  w.step_takes = seconds(30);
  w.run_for(seconds(3600), [&](Moment) {
    if (w.engine.requests() == 0) w.engine.waiting.push_back({.chunks = 0, .tokens = 50});
  });
  EXPECT_FALSE(w.found);
  EXPECT_GT(w.engine.beats, 100);
}

TEST(Wedge, APrefillOfTenMinutesIsNoAlarm) {
  Watched w;
  w.step_takes = seconds(5);
  w.engine.waiting.push_back({.chunks = 120, .tokens = 3});
  w.run_for(seconds(700), [](Moment) {});
  EXPECT_FALSE(w.found);
  EXPECT_EQ(w.engine.requests(), 0U);  // it was served in the end
}

TEST(Wedge, ClientsThatDoNotReadAreNoAlarm) {
  Watched w;
  // The engine has given everything; the gateway holds it for clients, and awaits nothing.
  w.run_for(seconds(3600), [](Moment) {});
  EXPECT_FALSE(w.found);
}

TEST(Wedge, StandingStillUnderOverloadIsFoundInTime) {
  for (int moment : {0, 1, 2, 3, 4}) {
    Watched w;
    w.run_for(seconds(300 + moment), overload(w.engine));
    ASSERT_FALSE(w.found);
    w.engine.wedged = true;
    const Moment since = w.now;
    w.run_for(seconds(200), overload(w.engine));
    ASSERT_TRUE(w.found) << moment;
    EXPECT_LE(*w.found - since, kFrozenAfter + 2 * kLook);
    EXPECT_GE(*w.found - since, kFrozenAfter - kLook);
  }
}

TEST(Wedge, OneThatTakesRequestsAndNeverCountsThemIsFoundByTheGatewaysStreams) {
  Watched w;
  w.run_for(seconds(100), overload(w.engine));
  w.engine.running.clear();
  w.engine.waiting.clear();
  w.run_for(seconds(100), [](Moment) {});
  w.engine.deaf = true;
  const Moment since = w.now;
  w.run_for(seconds(200), [&](Moment) {
    if (w.engine.requests() == 0) w.engine.waiting.push_back({.chunks = 0, .tokens = 9});
  });
  ASSERT_TRUE(w.found);
  EXPECT_LE(*w.found - since, kFrozenAfter + 2 * kLook);
}

}  // namespace
}  // namespace sx
