// Which launches are the same: spelling, names and addresses do not matter, everything else does.
#include "facts/learned.h"

#include <gtest/gtest.h>

#include "facts/case.h"

namespace sx {
namespace {

FlagUse use(std::string name, std::string value) {
  FlagUse one;
  one.name = name;
  one.typed = std::move(name);
  one.values = {std::move(value)};
  return one;
}

class LearnedKey : public testing::Test {
 protected:
  LearnedKey() {
    Gpu gpu;
    gpu.name = {"NVIDIA L40S", Origin::Device};
    gpu.memory = {gib(45), Origin::Device};
    host_.gpus = {gpu, gpu};
    host_.gpu_count = {2, Origin::Device};
    case_.host_spec = &host_;
    case_.model_spec = &model_;
    case_.visible.known = true;
    case_.visible.gpus = {0, 1};
    case_.serve.engine = "vllm";
    case_.serve.version = *parse_version("0.23.0");
    case_.serve.model = {"a/b", Origin::Flag};
    case_.serve.flags = {use("--max-model-len", "32k"), use("--gpu-memory-utilization", "0.90")};
    case_.serve.max_model_len = {Tokens{32000}, Origin::Flag};
  }
  HostSpec host_;
  ModelSpec model_;
  Case case_;
};

TEST_F(LearnedKey, SpellingsNamesAndAddressesDoNotMatter) {
  Case other = case_;
  other.serve.flags = {use("--port", "9000"), use("--gpu-memory-utilization", "0.9"),
                       use("--served-model-name", "q"), use("--max-model-len", "32000")};
  EXPECT_EQ(learned_key(case_), learned_key(other));
}

TEST_F(LearnedKey, TheModelsOwnLengthIsNoSetting) {
  ModelSpec same = model_;
  same.max_positions = {Tokens{32000}, Origin::Config};
  case_.model_spec = &same;
  Case other = case_;
  other.serve.flags.erase(other.serve.flags.begin());
  EXPECT_EQ(learned_key(case_), learned_key(other));
}

TEST_F(LearnedKey, EverythingElseDoes) {
  const std::string key = learned_key(case_);
  ASSERT_FALSE(key.empty());
  Case other = case_;
  other.serve.flags.push_back(use("--max-num-seqs", "64"));
  EXPECT_NE(learned_key(other), key);
  other = case_;
  other.serve.version = *parse_version("0.23.1");
  EXPECT_NE(learned_key(other), key);
  other = case_;
  other.serve.model = {"a/c", Origin::Flag};
  EXPECT_NE(learned_key(other), key);
  other = case_;
  other.command.environment = {{.name = "VLLM_X", .value = "1", .span = {}}};
  EXPECT_NE(learned_key(other), key);
  HostSpec larger = host_;
  larger.gpus[0].memory = {gib(80), Origin::Device};
  other = case_;
  other.host_spec = &larger;
  EXPECT_NE(learned_key(other), key);
}

TEST_F(LearnedKey, WhatIsNotKnownHasNone) {
  Case other = case_;
  other.visible.known = false;
  EXPECT_EQ(learned_key(other), "");
  other = case_;
  other.serve.flags[0].complete = false;
  EXPECT_EQ(learned_key(other), "");
}

TEST_F(LearnedKey, NoSecretStandsInIt) {
  case_.serve.flags.push_back(use("--api-key", "sk-secret"));
  case_.command.environment = {{.name = "HF_TOKEN", .value = "hf-secret", .span = {}}};
  EXPECT_EQ(learned_key(case_).find("secret"), std::string::npos);
}

TEST_F(LearnedKey, TheNewestRunOfTheSameLaunchIsFound) {
  LearnedRun old, newer, another;
  old.key = newer.key = learned_key(case_);
  another.key = "another";
  newer.date = "2026-12-01";
  EXPECT_EQ(find_learned({old, newer, another}, case_)->date, "2026-12-01");
  EXPECT_EQ(find_learned({another}, case_), nullptr);
}

}  // namespace
}  // namespace sx
