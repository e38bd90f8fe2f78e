// A KV cache in 8 bits that nobody asked for: where it is offered, where not, and behind what.
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/plan.h"
#include "unit/plan/asking.h"

namespace sx {
namespace {

// Cards whose attention kernels read FP8.
HostSpec ada_machine(int count, Bytes usable) {
  HostSpec host = testing::machine(count, usable);
  for (Gpu& gpu : host.gpus) {
    gpu.name = {"NVIDIA L40S", Origin::Config};
    gpu.capability = {ComputeCapability{8, 9}, Origin::Config};
    gpu.multiprocessors = testing::number(142);
  }
  return host;
}

const Plan* find(const PlanAnswer& answer, const std::string& label) {
  const auto found = std::ranges::find(answer.plans, label, &Plan::label);
  return found == answer.plans.end() ? nullptr : &*found;
}

bool any_small(const PlanAnswer& answer) {
  return std::ranges::any_of(answer.plans, &Plan::small_cache);
}

std::string notes_of(const Plan& plan) {
  std::string all;
  for (const Message& note : plan.notes) all += rendered(note, Language::English) + '\n';
  return all;
}

constexpr int kUsers = 64;  // in 16 bits there is room for some of them, in 8 for all

testing::Question crowded(HostSpec host) { return {testing::dense_72b(), std::move(host)}; }

TEST(SmallCache, IsOfferedBesideTheLayoutThatLacksRoomForTheUsers) {
  testing::Question question = crowded(ada_machine(4, mib(45'470)));
  question.ask.load.users = kUsers;
  question.ask.all = true;
  const PlanAnswer answer = question.answer();
  const Plan* whole = find(answer, "TP4");
  const Plan* small = find(answer, "TP4 + FP8 KV");
  ASSERT_NE(whole, nullptr);
  ASSERT_NE(small, nullptr);
  EXPECT_LT(whole, small);  // in front of it
  EXPECT_FALSE(whole->small_cache);
  EXPECT_EQ(whole->commands.front().find("--kv-cache-dtype"), std::string::npos);
  EXPECT_TRUE(small->small_cache);
  EXPECT_EQ(small->layout, whole->layout);
  EXPECT_NE(small->commands.front().find("--kv-cache-dtype fp8"), std::string::npos);
  EXPECT_GE(small->kv_tokens, Tokens{kUsers * 2500});
  EXPECT_LT(whole->kv_tokens, Tokens{kUsers * 2500});
  EXPECT_NE(notes_of(*small).find("too few for 64 users"), std::string::npos) << notes_of(*small);
  EXPECT_NE(notes_of(*small).find("accuracy"), std::string::npos);
  EXPECT_FALSE(answer.plans.front().small_cache);
  // A layout counts once, whatever its cache.
  EXPECT_LT(static_cast<std::size_t>(answer.fitting), answer.plans.size());
}

// Cards on which TP4 has no room for one request of the whole context in 16 bits, and has in 8: the
// estimates decide how large these are.
HostSpec tight_machine(int count) {
  for (int usable = 38'000; usable < 43'000; usable += 200) {
    testing::Question question = crowded(ada_machine(4, mib(usable)));
    question.ask.load.users = 1;
    question.ask.all = true;
    const PlanAnswer answer = question.answer();
    if (find(answer, "TP4") == nullptr && find(answer, "TP4 + FP8 KV") != nullptr)
      return ada_machine(count, mib(usable));
  }
  ADD_FAILURE() << "no size of card is between";
  return ada_machine(count, mib(40'000));
}

TEST(SmallCache, StandsForALayoutThatHasNoRoomForTheContext) {
  testing::Question question = crowded(tight_machine(4));
  question.ask.load.users = 1;
  question.ask.all = true;
  const PlanAnswer answer = question.answer();
  const Plan* small = find(answer, "TP4 + FP8 KV");
  ASSERT_NE(small, nullptr);
  EXPECT_TRUE(small->fits);
  EXPECT_FALSE(small->doubtful);
  EXPECT_GE(small->max_context, Tokens{32'768});
  EXPECT_NE(notes_of(*small).find("a request of 32"), std::string::npos) << notes_of(*small);
  const auto out = std::ranges::find(answer.rejected, std::string("TP4"), &Rejected::label);
  ASSERT_NE(out, answer.rejected.end());
  EXPECT_TRUE(out->code.starts_with("SX310")) << out->code;
  EXPECT_EQ(rendered(out->nearest_fix, Language::English), "the same layout with an FP8 KV cache");
}

TEST(SmallCache, IsNotOfferedWhereEverythingHasRoom) {
  testing::Question question = crowded(ada_machine(4, mib(45'470)));
  question.ask.load.users = 4;
  question.ask.all = true;
  const PlanAnswer answer = question.answer();
  ASSERT_NE(find(answer, "TP4"), nullptr);
  EXPECT_EQ(find(answer, "TP4 + FP8 KV"), nullptr);
}

TEST(SmallCache, IsNotOfferedToCardsWhoseKernelsMayRefuseIt) {
  testing::Question question = crowded(testing::machine(4, mib(45'470)));
  question.ask.load.users = kUsers;
  question.ask.all = true;
  EXPECT_FALSE(any_small(question.answer()));
}

TEST(SmallCache, IsNotOfferedByVersionsThatNobodyRead) {
  testing::Question question = crowded(ada_machine(4, mib(45'470)));
  question.ask.load.users = kUsers;
  question.bare.serve.version = {.major = 0, .minor = 8, .patch = 5};
  question.ask.all = true;
  EXPECT_FALSE(any_small(question.answer()));
}

TEST(SmallCache, IsNotOfferedForALatentCacheNorWhereItIsSmallAlready) {
  testing::Question latent = crowded(ada_machine(4, mib(45'470)));
  latent.model.kv_lora = testing::number(512);
  latent.model.qk_rope_dim = testing::number(64);
  latent.ask.load.users = kUsers;
  latent.ask.all = true;
  EXPECT_FALSE(any_small(latent.answer()));
  testing::Question small = crowded(ada_machine(4, mib(45'470)));
  Quantisation quantisation;
  quantisation.kv_fp8 = true;
  small.model.quantisation = {quantisation, Origin::Config};
  small.ask.load.users = kUsers;
  small.ask.all = true;
  EXPECT_FALSE(any_small(small.answer()));
}

// Then it is the question's own, and no plan needs to say so.
TEST(SmallCache, IsNoSurpriseWhereItWasAskedFor) {
  testing::Question question = crowded(ada_machine(4, mib(45'470)));
  question.ask.load.users = kUsers;
  question.ask.fp8_cache = true;
  const PlanAnswer answer = question.answer();
  ASSERT_NE(find(answer, "TP4"), nullptr);
  EXPECT_NE(find(answer, "TP4")->commands.front().find("--kv-cache-dtype fp8"), std::string::npos);
  EXPECT_FALSE(any_small(answer));
}

TEST(SmallCache, GivesItsNameToANamedPlanThatHasNoRoomWithout) {
  testing::Question question = crowded(tight_machine(6));
  question.ask.load.users = 1;
  const PlanAnswer answer = question.answer();
  const auto named = std::ranges::find(answer.plans, std::string("A"), &Plan::named);
  ASSERT_NE(named, answer.plans.end());
  EXPECT_EQ(named->label, "TP4 + FP8 KV");
  EXPECT_TRUE(named->fits);
  EXPECT_FALSE(answer.plans.front().small_cache);
}

}  // namespace
}  // namespace sx
