// SX4118. The long explanation and the scenes are in rope_override_incomplete.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/traits.h"
#include "rules/model/rope_override.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"the overrides replace {key} and leave out rope_theta, {theta} in this model",
                      "覆盖参数替换了 {key}，却漏掉了 rope_theta（该模型是 {theta}）"};
constexpr Text kLabel{"the base of the rotations becomes 10 000", "旋转的底数会变成 10 000"};
constexpr Text kBecause{
    "vLLM {version} puts this object in the place of the config's, and rope_theta is part of it",
    "vLLM {version} 用这个对象整个替换配置里的对象，而 rope_theta 也在其中"};
constexpr Text kOtherwise{
    "it starts, and its answers are noise: every position is turned by a wrong angle",
    "能够启动，但回答是乱码：每个位置的旋转角度都不对"};
constexpr Text kBase{"say rope_theta too", "同时写明 rope_theta"};
constexpr Text kBoth{"say rope_theta and the stretched length too",
                     "同时写明 rope_theta 和扩展后的长度"};

constexpr Need kNeeds[] = {Need::ModelContext};

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  if (!serve.hf_overrides.asked() ||
      trait(serve.engine, "rope-override", serve.version) != "replaces")
    return {};
  const auto rope = rope_override(serve.hf_overrides.value());
  const auto theta = rope_theta(c);
  if (!rope || rope->has_theta || !theta || *theta == 10'000) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"key", rope->key}, {"theta", *theta}}};
  mark(d, serve.hf_overrides, kLabel);
  d.because = {kBecause, {{"version", serve.version.text()}}};
  d.otherwise = kOtherwise;
  d.subject = "--hf-overrides";
  if (auto whole = completed(c, *rope)) {
    const bool longer =
        whole->find("max_position_embeddings\": ") != std::string::npos && !rope->says_length;
    complaint.proposals.push_back({.title = longer ? kBoth : kBase,
                                   .changes = {set_flag("--hf-overrides", *std::move(whole))},
                                   .safety = Safety::Safe});
  }
  return {complaint};
}

}  // namespace

extern const Rule rope_override_incomplete{
    .code = "SX4118",
    .name = "rope-override-incomplete",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
