// Whole answers: what is offered, what is out and why, the named plans, other goals.
#include "plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/plan/asking.h"

namespace sx {
namespace {

const Plan* find(const PlanAnswer& answer, const std::string& label) {
  const auto found = std::ranges::find(answer.plans, label, &Plan::label);
  return found == answer.plans.end() ? nullptr : &*found;
}

const Rejected* out(const PlanAnswer& answer, const std::string& label) {
  const auto found = std::ranges::find(answer.rejected, label, &Rejected::label);
  return found == answer.rejected.end() ? nullptr : &*found;
}

TEST(Plans, OfAModelThatNeedsAllSixGpus) {
  const testing::Question question(testing::dense_72b(), testing::machine(6));
  const PlanAnswer answer = question.answer();
  ASSERT_TRUE(answer.any_fits());
  const Plan& best = answer.plans.front();
  EXPECT_EQ(best.label, "TP2 x PP3");
  EXPECT_EQ(best.named, "B");
  EXPECT_EQ(best.stages, (std::vector<int>{27, 27, 26}));
  EXPECT_GE(best.kv_tokens, Tokens{200'000});
  ASSERT_EQ(best.commands.size(), 1U);
  EXPECT_EQ(best.commands.front(),
            "env CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0,1,2,3,4,5 vllm serve "
            "made/dense-72b --tensor-parallel-size 2 --pipeline-parallel-size 3 --max-model-len "
            "32768");
  EXPECT_EQ(answer.candidates, 25);
}

TEST(Plans, SayWhatIsOutAndWhy) {
  const testing::Question question(testing::dense_72b(), testing::machine(6));
  const PlanAnswer answer = question.answer();
  for (const char* label : {"TP3", "TP5", "TP6"}) {
    const Rejected* rejected = out(answer, label);
    ASSERT_NE(rejected, nullptr) << label;
    EXPECT_EQ(rejected->code, "SX2103");
    EXPECT_EQ(rendered(rejected->nearest_fix, Language::English),
              "tensor sizes that split here: 1, 2, 4");
  }
  ASSERT_NE(out(answer, "TP2"), nullptr);
  EXPECT_EQ(out(answer, "TP2")->code, "SX3101");
  ASSERT_NE(out(answer, "TP4"), nullptr);
  EXPECT_EQ(out(answer, "TP4")->code, "SX3103");
  EXPECT_NE(rendered(out(answer, "TP4")->nearest_fix, Language::English).find("a context of"),
            std::string::npos);
  EXPECT_EQ(out(answer, "TP2 x PP3"), nullptr);
}

// No shorter context, no other layout and no version in fewer bits: no way in is made up.
TEST(Plans, AFinalRefusalHasNoWayIn) {
  testing::Question question(testing::dense_72b(), testing::machine(1));
  const PlanAnswer answer = question.answer();
  ASSERT_EQ(answer.rejected.size(), 1U);
  EXPECT_EQ(answer.rejected.front().label, "TP1");
  EXPECT_EQ(answer.rejected.front().code, "SX3101");
  EXPECT_TRUE(answer.rejected.front().nearest_fix.empty());
  EXPECT_FALSE(answer.nothing.empty());
  EXPECT_TRUE(std::ranges::none_of(answer.plans, &Plan::fits));
  question.model.siblings = {"made/dense-72b-in-4-bits"};
  const PlanAnswer again = question.answer();
  ASSERT_EQ(again.rejected.size(), 1U);
  EXPECT_NE(rendered(again.rejected.front().nearest_fix, Language::English)
                .find("made/dense-72b-in-4-bits"),
            std::string::npos);
}

TEST(Plans, OfSixGpusAlwaysShowTheThreeWithNames) {
  const testing::Question question(testing::dense_72b(), testing::machine(6));
  const PlanAnswer answer = question.answer();
  const auto named = [&answer](const char* name) {
    return std::ranges::find(answer.plans, name, &Plan::named);
  };
  for (const char* name : {"A", "B", "C"}) ASSERT_NE(named(name), answer.plans.end()) << name;
  EXPECT_FALSE(named("A")->fits);
  EXPECT_EQ(named("A")->why_code, "SX3103");
  EXPECT_TRUE(named("A")->commands.empty());
  EXPECT_TRUE(named("B")->fits);
  EXPECT_FALSE(named("C")->fits);
  const testing::Question five(testing::dense_72b(), testing::machine(5));
  for (const Plan& plan : five.answer().plans) EXPECT_EQ(plan.named, "");
}

TEST(Plans, WithAllListWhatIsBeatenToo) {
  testing::Question question(testing::dense_72b(), testing::machine(8, mib(81089)));
  const PlanAnswer few = question.answer();
  question.ask.all = true;
  const PlanAnswer all = question.answer();
  EXPECT_GT(all.plans.size(), few.plans.size());
  EXPECT_EQ(all.plans.size(), static_cast<std::size_t>(all.fitting));
  for (const Plan& plan : few.plans) EXPECT_NE(find(all, plan.label), nullptr) << plan.label;
}

TEST(Plans, OfferNothingWithAnError) {
  testing::Question question(testing::dense_72b(), testing::machine(8, mib(81089)));
  question.ask.all = true;
  for (const Plan& plan : question.answer().plans) {
    EXPECT_FALSE(plan.commands.empty()) << plan.label;
    EXPECT_EQ(plan.commands.size(), static_cast<std::size_t>(plan.replicas));
    for (const Diagnostic& d : plan.diagnostics) EXPECT_NE(d.severity, Severity::Error) << d.code;
  }
}

TEST(Plans, GiveReplicasPortsOfTheirOwn) {
  testing::Question question(testing::dense_72b(), testing::machine(8, mib(81089)));
  question.host.used_ports = {std::vector<UsedPort>{{.port = 8000, .address = "0.0.0.0"}},
                              Origin::Device};
  question.ask.all = true;
  const PlanAnswer answer = question.answer();
  const Plan* two = find(answer, "2 x TP4");
  ASSERT_NE(two, nullptr);
  EXPECT_NE(two->commands[0].find("--port 8001"), std::string::npos);
  EXPECT_NE(two->commands[1].find("--port 8002"), std::string::npos);
  EXPECT_NE(two->commands[0].find("CUDA_VISIBLE_DEVICES=0,1,2,3 "), std::string::npos);
  EXPECT_NE(two->commands[1].find("CUDA_VISIBLE_DEVICES=4,5,6,7 "), std::string::npos);
}

TEST(Plans, BindToANodeWhereAllTheirGpusHangOnOne) {
  testing::Question question(testing::dense_72b(), testing::machine(8, mib(81089)));
  for (Gpu& gpu : question.host.gpus) gpu.numa = testing::number(gpu.index / 4);
  question.ask.all = true;
  const PlanAnswer answer = question.answer();
  ASSERT_NE(find(answer, "2 x TP4"), nullptr);
  EXPECT_NE(find(answer, "2 x TP4")->commands[1].find("numactl --cpunodebind=1 --membind=1 vllm"),
            std::string::npos);
  ASSERT_NE(find(answer, "TP8"), nullptr);
  EXPECT_EQ(find(answer, "TP8")->commands[0].find("numactl"), std::string::npos);
}

// The second four have no room for what the launch takes: two replicas would be one too many.
TEST(Plans, LookAtEveryKindOfReplica) {
  testing::Question question(testing::dense_72b(), testing::machine(8, mib(81089)));
  for (std::size_t i = 4; i < 8; ++i) question.host.gpus[i].used = {gib(60), Origin::Flag};
  question.ask.all = true;
  const PlanAnswer answer = question.answer();
  ASSERT_NE(find(answer, "TP4"), nullptr);
  EXPECT_EQ(find(answer, "TP4")->gpus.front(), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(find(answer, "2 x TP4"), nullptr);
  ASSERT_NE(out(answer, "2 x TP4"), nullptr);
  EXPECT_EQ(out(answer, "2 x TP4")->code, "SX3101");
  EXPECT_FALSE(out(answer, "2 x TP4")->nearest_fix.empty());
}

// Others hold a third of four cards: the launch over all of them takes what is left, and says so.
TEST(Plans, FitBesideOtherProcesses) {
  testing::Question question(testing::dense_72b(), testing::machine(8, mib(81089)));
  for (std::size_t i = 4; i < 8; ++i) question.host.gpus[i].used = {gib(25), Origin::Flag};
  question.ask.all = true;
  const PlanAnswer answer = question.answer();
  const Plan* wide = find(answer, "TP8");
  ASSERT_NE(wide, nullptr);
  const std::string& command = wide->commands.front();
  const auto at = command.find("--gpu-memory-utilization 0.");
  ASSERT_NE(at, std::string::npos) << command;
  // 54 of 79 GiB are free there, less what the launch itself takes before.
  const std::string share = command.substr(at + 25, 4);
  EXPECT_GE(share, "0.60");
  EXPECT_LT(share, "0.69");
  EXPECT_TRUE(std::ranges::any_of(wide->notes, [](const Message& note) {
    return rendered(note, Language::English).find("other processes hold memory") !=
           std::string::npos;
  }));
  EXPECT_EQ(find(answer, "TP4")->commands.front().find("--gpu-memory-utilization"),
            std::string::npos);
}

ModelSpec with_tower(int heads) {
  ModelSpec m = testing::dense_72b();
  m.architecture = {"Qwen2_5_VLForConditionalGeneration", Origin::Config};
  m.model_type = {"qwen2_5_vl", Origin::Config};
  m.vision.layers = testing::number(32);
  m.vision.hidden_size = testing::number(1280);
  m.vision.intermediate_size = testing::number(3420);
  m.vision.heads = testing::number(heads);
  m.vision.patch_size = testing::number(14);
  m.vision.out_hidden_size = testing::number(8192);
  return m;
}

std::string notes_of(const Plan& plan) {
  std::string all;
  for (const Message& note : plan.notes) all += rendered(note, Language::English) + '\n';
  return all;
}

TEST(Plans, SayWhereAVisionTowerSits) {
  testing::Question question(with_tower(16), testing::machine(6));
  question.ask.all = true;
  const PlanAnswer answer = question.answer();
  const Plan* plan = find(answer, "TP2 x PP3");
  ASSERT_NE(plan, nullptr);
  ASSERT_EQ(plan->parts.size(), 2U);
  EXPECT_EQ(plan->parts[0].gpus, (std::vector<int>{0, 1}));
  EXPECT_TRUE(plan->parts[0].cut);
  EXPECT_GT(plan->parts[0].bytes, mib(100));
  EXPECT_EQ(plan->parts[1].gpus.size(), 6U);
  EXPECT_EQ(plan->commands.front().find("--mm-encoder-tp-mode"), std::string::npos);
  EXPECT_NE(notes_of(*plan).find("--mm-encoder-tp-mode data would keep it whole"),
            std::string::npos);
}

// 9 heads split over no even size: the command keeps the tower whole, and the note says why.
TEST(Plans, KeepATowerWholeWhoseHeadsDoNotSplit) {
  testing::Question question(with_tower(9), testing::machine(6));
  question.ask.all = true;
  const PlanAnswer answer = question.answer();
  const Plan* plan = find(answer, "TP2 x PP3");
  ASSERT_NE(plan, nullptr);
  EXPECT_NE(plan->commands.front().find("--mm-encoder-tp-mode data"), std::string::npos);
  ASSERT_EQ(plan->parts.size(), 2U);
  EXPECT_FALSE(plan->parts[0].cut);
  EXPECT_NE(notes_of(*plan).find("its 9 heads do not split over 2 ranks"), std::string::npos);
}

TEST(Plans, HaveNoPartsOfAModelOfOne) {
  const testing::Question question(testing::dense_72b(), testing::machine(6));
  for (const Plan& plan : question.answer().plans) EXPECT_TRUE(plan.parts.empty());
}

// The last check refuses what no other step did: its first fix that stands is the way in.
TEST(Plans, TakeTheNearestFixOfARefusalFromItsRule) {
  testing::Question question(testing::dense_72b(), testing::machine(8, mib(81089)));
  question.host.shared_memory = {mib(16), Origin::Flag};
  question.ask.all = true;
  for (const Rejected& rejected : question.answer().rejected) {
    if (rejected.code.starts_with("SX2") || rejected.code.starts_with("SX3")) continue;
    EXPECT_FALSE(rejected.nearest_fix.empty()) << rejected.label << ' ' << rejected.code;
  }
}

TEST(Plans, SayWhatWouldDoWhereNothingFits) {
  const testing::Question question(testing::dense_72b(), testing::machine(2));
  const PlanAnswer answer = question.answer();
  EXPECT_FALSE(answer.any_fits());
  EXPECT_FALSE(answer.memory_unknown);
  EXPECT_NE(rendered(answer.nothing, Language::English).find("would do, as"), std::string::npos);
}

TEST(Plans, DoNotGuessMemoryThatIsUnknown) {
  HostSpec host = testing::machine(4);
  for (Gpu& gpu : host.gpus) gpu.usable = gpu.memory = {};
  const testing::Question question(testing::dense_72b(), host);
  const PlanAnswer answer = question.answer();
  EXPECT_FALSE(answer.any_fits());
  EXPECT_TRUE(answer.memory_unknown);
  EXPECT_FALSE(answer.nothing.empty());
}

TEST(Plans, UseNoMoreGpusThanAllowed) {
  testing::Question question(testing::dense_72b(), testing::machine(8, mib(81089)));
  question.ask.gpus = 4;
  question.ask.all = true;
  for (const Plan& plan : question.answer().plans) EXPECT_LE(plan.layout.gpus(), 4) << plan.label;
}

TEST(Plans, TakeTheGoalIntoAccount) {
  testing::Question question(testing::dense_72b(), testing::machine(8, mib(81089)));
  question.ask.all = true;
  question.ask.goal = Goal::Context;
  const PlanAnswer longest = question.answer();
  for (const Plan& plan : longest.plans)
    EXPECT_LE(plan.max_context, longest.plans.front().max_context) << plan.label;
}

TEST(Plans, FreeMemoryForManyRequestsOnlyWhereItHelps) {
  testing::Question question(testing::dense_72b(), testing::machine(4));
  question.ask.context = {};
  question.ask.load = {.users = 8, .input = Tokens{2000}, .output = Tokens{500}};
  const PlanAnswer answer = question.answer();
  ASSERT_TRUE(answer.any_fits());
  const Plan& best = answer.plans.front();
  EXPECT_NE(best.commands.front().find("--max-num-seqs 16"), std::string::npos);
  const testing::Question roomy(testing::dense_72b(), testing::machine(6));
  EXPECT_EQ(roomy.answer().plans.front().commands.front().find("--max-num-seqs"),
            std::string::npos);
}

}  // namespace
}  // namespace sx
