// What a layout serves: worked examples, what more load may never do, and what has no figure.
#include "fit/throughput.h"

#include <gtest/gtest.h>

#include <cmath>

#include "speed_machines.h"

namespace sx {
namespace {

using testing::machine;

SpeedAsk ask(const ModelSpec& model, const HostSpec& host, Layout layout, Workload load) {
  SpeedAsk question;
  question.model = &model;
  question.host = &host;
  question.engine = "vllm";
  question.layout = std::move(layout);
  question.load = load;
  return question;
}

Layout tp(int tensor, int pipeline = 1, int data = 1) {
  Layout layout;
  layout.tensor = tensor;
  layout.pipeline = pipeline;
  layout.data = data;
  return layout;
}

Speed answer(const SpeedAsk& question) {
  const auto said = speed(question);
  EXPECT_TRUE(said) << (said ? "" : rendered(said.error().why, Language::English));
  return said.value_or(Speed{});
}

ModelSpec in_fp8(ModelSpec model) {
  Quantisation fp8;
  fp8.method = "fp8";
  fp8.bits = 8;
  fp8.block_rows = fp8.block_columns = 128;
  model.quantisation = {fp8, Origin::Config};
  return model;
}

// Qwen3-32B on four L40S, prompts of 2048 tokens, answers of 512.
struct Example {
  Layout layout;
  std::int64_t pool;
  bool fp8;
  double one, thirty_two, sixty_four;  // ms a token at so many users; 0: not stated
};

TEST(Throughput, WorkedExampleOfFourCardsOverPcieComesOut) {
  const HostSpec host = machine(4, "NVIDIA L40S");
  const ModelSpec plain = testing::dense_32b(), small = in_fp8(testing::dense_32b());
  const Example examples[] = {
      {tp(4), 380'370, false, 29, 106, 186},    {tp(2, 2), 380'380, false, 54, 76, 99},
      {tp(2, 1, 2), 65'210, false, 52, 74, 0},  {tp(1, 4), 368'515, false, 104, 120, 137},
      {tp(2, 1, 2), 184'250, true, 31, 50, 70}, {tp(1, 1, 4), 26'670, true, 58, 70, 0}};
  for (const Example& example : examples) {
    const std::pair<int, double> points[] = {
        {1, example.one}, {32, example.thirty_two}, {64, example.sixty_four}};
    for (const auto& [users, ms] : points) {
      if (ms <= 0) continue;
      auto question = ask(example.fp8 ? small : plain, host, example.layout,
                          {.users = users, .input = Tokens{2048}, .output = Tokens{512}});
      question.kv_tokens = Tokens{example.pool};
      const Band band = answer(question).tpot_s;
      EXPECT_LT(band.low * 1000, ms) << example.layout.label() << ' ' << users;
      EXPECT_GT(band.high * 1000, ms) << example.layout.label() << ' ' << users;
    }
  }
}

double tokens_s(const HostSpec& host, const Layout& layout, std::int64_t pool, int users) {
  const ModelSpec model = testing::dense_32b();
  auto question =
      ask(model, host, layout, {.users = users, .input = Tokens{2048}, .output = Tokens{512}});
  question.kv_tokens = Tokens{pool};
  return answer(question).output_tokens_s.mid;
}

TEST(Throughput, TheAnswerFlipsWithTheFabric) {
  // Through the host's memory four ranks spend their time on sums: two stages of two are better.
  const HostSpec poor = machine(4, "NVIDIA L40S"), good = machine(4, "NVIDIA L40S", "PIX");
  EXPECT_GT(tokens_s(poor, tp(2, 2), 380'000, 64), 1.3 * tokens_s(poor, tp(4), 380'000, 64));
  for (const int users : {1, 32, 64}) {
    const double four = tokens_s(good, tp(4), 380'000, users);
    EXPECT_GT(four, tokens_s(good, tp(2, 2), 380'000, users)) << users;
    EXPECT_GT(four, tokens_s(good, tp(2, 1, 2), 65'210, users)) << users;
    EXPECT_GT(four, tokens_s(good, tp(1, 4), 368'000, users)) << users;
  }
}

TEST(Throughput, FourRanksAcrossPairsOfBridgesAreSlow) {
  HostSpec pairs = machine(4, "NVIDIA A100 80GB PCIe", "PHB");
  for (const std::size_t first : {0U, 2U}) {
    pairs.links.classes[first][first + 1] = pairs.links.classes[first + 1][first] = "NV12";
  }
  const HostSpec all = machine(4, "NVIDIA A100-SXM4-80GB", "NV12");
  const ModelSpec model = testing::dense_32b();
  const Workload load{.users = 64, .input = Tokens{2048}, .output = Tokens{512}};
  const Speed across = answer(ask(model, pairs, tp(4), load));
  const Speed within = answer(ask(model, all, tp(4), load));
  EXPECT_GT(across.communication_s, 4 * within.communication_s);
}

struct Case {
  ModelSpec model;
  HostSpec host;
  Layout layout;
  int ranks = 1, groups = 1;
};

SpeedAsk ask(const Case& one, Workload load) {
  SpeedAsk question = ask(one.model, one.host, one.layout, load);
  question.ranks = one.ranks;
  question.groups = one.groups;
  return question;
}

std::vector<Case> cases() {
  const std::string h100 = "NVIDIA H100 80GB HBM3", rtx = "NVIDIA GeForce RTX 4090";
  Layout wide = tp(2, 1, 4);
  wide.expert = true;
  return {
      {testing::dense_32b(), machine(8, h100), tp(8)},
      {testing::dense_32b(), machine(6, "NVIDIA A100-PCIE-40GB"), tp(2, 3)},
      {testing::experts_30b(), machine(8, h100), wide, 4},
      {testing::experts_30b(), machine(8, h100), tp(1, 1, 8), 8},
      {testing::latent_671b(), machine(8, "NVIDIA H200"), tp(8), 1, 8},
      {testing::latent_671b(), machine(8, "NVIDIA H200"), tp(8)},
      {testing::hybrid_80b(), machine(4, "NVIDIA RTX PRO 6000 Blackwell Server Edition"), tp(4)},
      {testing::windows_27b(), machine(4, "NVIDIA L40S"), tp(1, 4)},
      {in_fp8(testing::dense_32b()), machine(4, rtx), tp(2, 2)},
      {testing::dense_32b(), machine(2, "Tesla V100-SXM2-32GB"), tp(2)}};
}

TEST(Throughput, MoreUsersNeverMakeOneUserFaster) {
  for (const Case& one : cases()) {
    for (const std::int64_t pool : {0, 200'000}) {
      double tpot = 0, first = 0;
      for (int users = 1; users <= 4096; users = users < 24 ? users + 1 : users * 3 / 2) {
        auto question = ask(one, {.users = users, .input = Tokens{1500}, .output = Tokens{300}});
        question.kv_tokens = Tokens{pool};
        const Speed said = answer(question);
        EXPECT_GE(said.tpot_s.mid, tpot * (1 - 1e-9)) << one.layout.label() << ' ' << users;
        EXPECT_GE(said.ttft_s.mid, first * (1 - 1e-9)) << one.layout.label() << ' ' << users;
        tpot = said.tpot_s.mid;
        first = said.ttft_s.mid;
      }
    }
  }
}

TEST(Throughput, ALongerPromptIsNeverAnsweredSooner) {
  for (const Case& one : cases()) {
    for (const int users : {1, 20}) {
      for (const std::int64_t pool : {0, 300'000}) {
        double first = 0;
        for (std::int64_t input = 0; input < 200'000; input += 1 + input / 7) {
          auto question = ask(one, {.users = users, .input = Tokens{input}, .output = Tokens{100}});
          question.kv_tokens = Tokens{pool};
          const double now = answer(question).ttft_s.mid;
          EXPECT_GE(now, first * (1 - 1e-9)) << one.layout.label() << ' ' << input;
          first = now;
        }
      }
    }
  }
}

TEST(Throughput, BandsOfMeasuredCardsSaySomething) {
  for (const Case& one : cases()) {
    const Speed said = answer(ask(one, {.users = 8, .input = Tokens{1000}, .output = Tokens{500}}));
    for (const Band& band : {said.tpot_s, said.ttft_s, said.output_tokens_s}) {
      EXPECT_GT(band.low, 0);
      EXPECT_LE(band.low, band.mid);
      EXPECT_LE(band.mid, band.high);
      if (said.basis != SpeedBasis::DataSheet) {
        EXPECT_LE(band.high, 3 * band.low);
      }
    }
    EXPECT_FALSE(said.notes.empty());
    EXPECT_LE(said.communication_s, said.tpot_s.mid);
  }
}

TEST(Throughput, BasisIsWhatWasMeasured) {
  const ModelSpec model = testing::dense_32b();
  const Workload load{.users = 1, .input = Tokens{100}, .output = Tokens{100}};
  const auto basis = [&](const HostSpec& host, Layout layout) {
    return answer(ask(model, host, std::move(layout), load)).basis;
  };
  EXPECT_EQ(basis(machine(8, "NVIDIA H100 80GB HBM3"), tp(8)), SpeedBasis::Measured);
  EXPECT_EQ(basis(machine(8, "NVIDIA H800"), tp(8)), SpeedBasis::Related);
  EXPECT_EQ(basis(machine(4, "NVIDIA L40S", "PHB"), tp(4)), SpeedBasis::Measured);
  // Nobody says how its cards are linked.
  EXPECT_EQ(basis(machine(4, "NVIDIA L40S"), tp(4)), SpeedBasis::Related);
  EXPECT_EQ(basis(machine(2, "Tesla V100-SXM2-32GB"), tp(2)), SpeedBasis::DataSheet);
}

TEST(Throughput, DataSheetBoundsHoldThePeaks) {
  const ModelSpec model = testing::dense_32b();
  const Speed said = answer(ask(model, machine(2, "Tesla V100-SXM2-32GB"), tp(2),
                                {.users = 1, .input = Tokens{100}, .output = Tokens{100}}));
  // 32.8 billion parameters of two bytes over twice 900 GB/s.
  EXPECT_NEAR(said.tpot_s.low, 31.2e9 * 2 / 1800e9, .004);
  EXPECT_GT(said.tpot_s.high, 2 * said.tpot_s.low);
}

TEST(Throughput, ThePoolAndTheLimitHoldRequestsBack) {
  const ModelSpec model = testing::dense_32b();
  const HostSpec host = machine(4, "NVIDIA H100 80GB HBM3");
  auto question =
      ask(model, host, tp(4), {.users = 100, .input = Tokens{8000}, .output = Tokens{2000}});
  EXPECT_EQ(answer(question).running, 100);
  question.kv_tokens = Tokens{90'000};
  EXPECT_EQ(answer(question).running, 10);
  question.max_num_seqs = 4;
  EXPECT_EQ(answer(question).running, 4);
  question.kv_tokens = Tokens{9'000};
  EXPECT_FALSE(speed(question));
}

TEST(Throughput, ReplicasShareTheUsers) {
  const ModelSpec model = testing::dense_32b();
  const HostSpec host = machine(4, "NVIDIA H100 80GB HBM3");
  const Workload load{.users = 64, .input = Tokens{1000}, .output = Tokens{1000}};
  const Speed two = answer(ask(model, host, tp(2, 1, 2), load));
  const Workload half{.users = 32, .input = Tokens{1000}, .output = Tokens{1000}};
  const Speed one = answer(ask(model, host, tp(2), half));
  EXPECT_NEAR(two.tpot_s.mid, one.tpot_s.mid, 1e-9);
  EXPECT_NEAR(two.output_tokens_s.mid, 2 * one.output_tokens_s.mid, 1e-6);
  EXPECT_EQ(two.running, 64);
}

// A group reads its own requests' latent cache alone, where every rank of a tensor group reads all
// of it; for one user its attention is not split.
TEST(Throughput, GroupsThatShareAttentionPayWithManyUsers) {
  const ModelSpec model = testing::latent_671b();
  const HostSpec host = machine(8, "NVIDIA H200");
  const auto both = [&](int users) {
    auto question =
        ask(model, host, tp(8), {.users = users, .input = Tokens{1000}, .output = Tokens{2000}});
    question.engine = "sglang";
    question.max_batched_tokens = Tokens{8192};
    const Speed whole = answer(question);
    question.groups = 8;
    question.max_batched_tokens = Tokens{8192 / 8};
    return std::pair(whole, answer(question));
  };
  const auto [few, few_in_groups] = both(1);
  EXPECT_GT(few_in_groups.tpot_s.mid, 1.1 * few.tpot_s.mid);
  EXPECT_EQ(few_in_groups.running, 1);
  const auto [many, many_in_groups] = both(1024);
  EXPECT_GT(many_in_groups.output_tokens_s.mid, 1.2 * many.output_tokens_s.mid);
  EXPECT_EQ(many_in_groups.running, 1024);
  EXPECT_EQ(many.basis, SpeedBasis::Measured);
  EXPECT_EQ(many_in_groups.basis, SpeedBasis::Related);
  EXPECT_EQ(many_in_groups.notes.size(), many.notes.size() + 1);
}

TEST(Throughput, APoolIsOneGroups) {
  const ModelSpec model = testing::latent_671b();
  const HostSpec host = machine(8, "NVIDIA H200");
  auto question =
      ask(model, host, tp(8), {.users = 800, .input = Tokens{8000}, .output = Tokens{2000}});
  question.groups = 8;
  question.kv_tokens = Tokens{90'000};
  EXPECT_EQ(answer(question).running, 80);
  question.max_num_seqs = 4;
  EXPECT_EQ(answer(question).running, 32);
}

// Ranks of one launch cut its experts among them; launches beside one another have all of them.
TEST(Throughput, RanksOfOneLaunchShareItsExperts) {
  const ModelSpec model = testing::experts_30b();
  const HostSpec host = machine(8, "NVIDIA H100 80GB HBM3");
  for (const bool whole : {false, true}) {
    Layout layout = tp(1, 1, 8);
    layout.expert = whole;
    auto question =
        ask(model, host, layout, {.users = 64, .input = Tokens{1000}, .output = Tokens{1000}});
    const Speed apart = answer(question);
    question.ranks = 8;
    const Speed shared = answer(question);
    EXPECT_LT(shared.tpot_s.mid, .8 * apart.tpot_s.mid) << whole;
    EXPECT_GT(shared.communication_s, 0) << whole;
    EXPECT_EQ(apart.communication_s, 0) << whole;
    // Of a dense model nothing is shared.
    const ModelSpec dense = testing::dense_32b();
    question.model = &dense;
    const double alone = answer(question).tpot_s.mid;
    question.ranks = 1;
    EXPECT_DOUBLE_EQ(alone, answer(question).tpot_s.mid) << whole;
  }
}

TEST(Throughput, WithoutGraphsEveryLaunchCounts) {
  const ModelSpec model = testing::dense_32b();
  const HostSpec host = machine(8, "NVIDIA H100 80GB HBM3");
  auto question =
      ask(model, host, tp(8), {.users = 1, .input = Tokens{100}, .output = Tokens{100}});
  const double with = answer(question).tpot_s.mid;
  question.graphs = false;
  EXPECT_GT(answer(question).tpot_s.mid, with + .002);
}

TEST(Throughput, WindowsAreReadNoFurther) {
  const ModelSpec windows = testing::windows_27b();
  ModelSpec full = windows;
  full.sliding_window = {Tokens{0}, Origin::Config};
  full.layer_pattern = {};
  const HostSpec host = machine(1, "NVIDIA H100 80GB HBM3");
  const Workload load{.users = 16, .input = Tokens{30'000}, .output = Tokens{500}};
  EXPECT_LT(answer(ask(windows, host, tp(1), load)).tpot_s.mid,
            .8 * answer(ask(full, host, tp(1), load)).tpot_s.mid);
}

TEST(Throughput, LayersOfLlamaCppFollowOneAnother) {
  const ModelSpec model = testing::dense_32b();
  const HostSpec host = machine(4, "NVIDIA L40S");
  auto question =
      ask(model, host, tp(1, 4), {.users = 1, .input = Tokens{100}, .output = Tokens{100}});
  question.engine = "llamacpp";
  const Speed four = answer(question);
  EXPECT_EQ(four.basis, SpeedBasis::DataSheet);
  question.layout = tp(1);
  EXPECT_GE(four.tpot_s.mid, answer(question).tpot_s.mid);
}

TEST(Throughput, WhatIsNotKnownHasNoFigure) {
  const ModelSpec model = testing::dense_32b();
  const HostSpec host = machine(4, "NVIDIA H100 80GB HBM3");
  const Workload load{.users = 1, .input = Tokens{100}, .output = Tokens{100}};
  EXPECT_FALSE(speed(ask(model, machine(1, "NVIDIA Unheard Of 9000"), tp(1), load)));
  EXPECT_FALSE(speed(ask(model, machine(1, "NVIDIA L2"), tp(1), load)));  // no bandwidth known
  EXPECT_FALSE(speed(ask({}, host, tp(1), load)));
  EXPECT_FALSE(speed(ask(model, host, tp(8), load)));
  auto question = ask(model, host, tp(1), load);
  question.engine = "unheard-of";
  EXPECT_FALSE(speed(question));
  question = ask(model, host, tp(1), load);
  const std::vector<std::vector<int>> eighth{{7}};
  question.gpus = eighth;
  EXPECT_FALSE(speed(question));
  EXPECT_FALSE(speed(SpeedAsk{}));
}

TEST(Throughput, LoadsAreBounded) {
  const ModelSpec model = testing::dense_32b();
  const HostSpec host = machine(4, "NVIDIA H100 80GB HBM3");
  auto question =
      ask(model, host, tp(4), {.users = 0, .input = Tokens{100}, .output = Tokens{100}});
  EXPECT_FALSE(speed(question));
  question.load.users = -3;
  EXPECT_FALSE(speed(question));
  question.load = {.users = 10, .input = Tokens{100}, .output = Tokens{0}};
  EXPECT_FALSE(speed(question));
  question.load = {.users = 10'000, .input = Tokens{4000}, .output = Tokens{1000}};
  question.kv_tokens = Tokens{500'000};
  const Speed many = answer(question);
  EXPECT_LE(many.running, 111);
  EXPECT_TRUE(std::isfinite(many.ttft_s.mid));
  // Those without a place wait for many rounds.
  EXPECT_GT(many.ttft_s.mid, 50 * many.tpot_s.mid * 1000 / 2);
}

}  // namespace
}  // namespace sx
