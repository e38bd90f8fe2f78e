// Progress by counters: what freezes is found, what is idle, slow or silent about itself is not.
#include "run/pulse.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

using std::chrono::seconds;

const EngineLife& vllm() { return *engine_life("vllm"); }

TEST(Pulse, CountersAreSummedOverTheirLabels) {
  const Pulse pulse = read_pulse(
      "# HELP vllm:num_requests_running n\n"
      "vllm:num_requests_running{engine=\"0\",model_name=\"a} b\"} 2.0\n"
      "vllm:num_requests_running{engine=\"1\",model_name=\"m\"} 1.0\n"
      "vllm:num_requests_waiting{engine=\"0\"} 4.0 1700000000\n"
      "vllm:iteration_tokens_total_count{engine=\"0\"} 10.0\n"
      "vllm:iteration_tokens_total_count{engine=\"1\"} 5.0\n"
      "vllm:generation_tokens_total_created{engine=\"0\"} 99\n",
      vllm());
  EXPECT_EQ(pulse.busy, 7.0);
  EXPECT_EQ(pulse.beats, 15.0);
}

TEST(Pulse, WhatThePageDoesNotHaveIsUnknown) {
  EXPECT_EQ(read_pulse("", vllm()).busy, std::nullopt);
  EXPECT_EQ(read_pulse("vllm:num_requests_running{", vllm()).busy, std::nullopt);
  EXPECT_EQ(read_pulse("vllm:num_requests_running NaNsense\n\n\xFF\xFE", vllm()).busy,
            std::nullopt);
  EXPECT_EQ(read_pulse("llamacpp:requests_processing 1\nllamacpp:n_decode_total 3",
                       *engine_life("llamacpp"))
                .beats,
            3.0);
}

struct Watched {
  PulseWatch watch;
  Moment now{5'000};
  std::optional<seconds> after(int wait, double beats, double busy) {
    now += seconds(wait);
    return watch.look({.beats = beats, .busy = busy}, now);
  }
};

TEST(PulseWatch, StandingStillWithRequestsIsCounted) {
  Watched w;
  EXPECT_EQ(w.after(0, 10, 1), std::nullopt);
  EXPECT_EQ(w.after(30, 10, 1), seconds(30));
  EXPECT_EQ(w.after(30, 10, 3), seconds(60));
  EXPECT_EQ(w.after(5, 11, 3), std::nullopt);
  EXPECT_EQ(w.after(5, 11, 3), seconds(5));
}

TEST(PulseWatch, IdleSlowAndUnknownAreNoFreeze) {
  Watched w;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(w.after(60, 10, 0), std::nullopt);
  for (int i = 0; i < 100; ++i) {  // one step in 30 s, at any load
    EXPECT_LE(w.after(15, 10 + i / 2, 8).value_or(seconds(0)), seconds(30));
  }
  w.now += seconds(500);
  EXPECT_EQ(w.watch.look({.beats = {}, .busy = 3}, w.now), std::nullopt);
}

TEST(PulseWatch, BytesOfAnAnswerAreProgress) {
  Watched w;
  w.after(0, 10, 1);
  w.now += seconds(50);
  w.watch.note_traffic(w.now);
  EXPECT_EQ(w.after(10, 10, 1), seconds(10));
}

}  // namespace
}  // namespace sx
