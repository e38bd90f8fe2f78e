// SX4106. The long explanation and the scenes are in hf_access.md.
#include <algorithm>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/model/surroundings.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{model} is not in the local cache, and {variable} forbids the download",
                      "本地缓存里没有 {model}，而 {variable} 禁止下载"};
constexpr Text kLabel{"a name on the hub, no folder of this machine",
                      "Hub 上的名字，本机没有这样的目录"};
constexpr Text kBecause{
    "a model that is named by its hub id is loaded from the cache, or fetched into it first",
    "用 Hub 名字指定的模型从缓存加载，缓存里没有就先下载"};
constexpr Text kOtherwise{
    "the engine exits within seconds: \"Cannot find an appropriate cached snapshot folder\"",
    "引擎在几秒内退出：“Cannot find an appropriate cached snapshot folder”"};
constexpr OfEngine kOtherwiseOf[] = {
    {"sglang",
     {"the engine exits within seconds: the config is not in the cache and may not be fetched",
      "引擎在几秒内退出：缓存里没有配置，又不允许下载"}}};
constexpr Text kAsk{"let it ask the hub; that takes a network", "允许访问 Hub，需要网络"};
constexpr Text kFetch{
    "fetch it beforehand, where there is a network: hf download {model}; or name the folder it "
    "lies in",
    "先在有网络的环境下载：hf download {model}（或 modelscope download --model "
    "{model}）；也可以直接写模型所在的目录"};

constexpr Need kNeeds[] = {Need::HostFolders};

// The switch that is on; empty: none.
std::string_view offline_switch(const Case& c) {
  for (const std::string_view name : {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}) {
    if (switched_on(c, name)) return name;
  }
  return {};
}

std::vector<Complaint> check(const Case& c) {
  const ModelSpec& model = c.model();
  const bool local = model.from == ModelFrom::Directory || model.from == ModelFrom::Cache;
  const std::string_view variable = offline_switch(c);
  if (local || variable.empty() || !c.serve.model.known() || !runs_here(c)) return {};
  const std::string& asked = c.serve.model.value();
  const bool path = asked.starts_with('/') || asked.starts_with('.') || asked.starts_with('~') ||
                    std::ranges::count(asked, '/') > 1;
  if (path) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument id("model", asked);
  d.title = {kTitle, {id, {"variable", variable}}};
  mark(d, c.serve.model, kLabel);
  d.because = kBecause;
  d.otherwise = of_engine(c.serve, kOtherwiseOf, kOtherwise);
  d.subject = "model";
  d.no_fix = {kFetch, {id}};
  const bool in_command = std::ranges::any_of(
      c.command.environment,
      [variable](const Setting& setting) { return setting.name == variable && setting.prefix; });
  if (in_command) {
    complaint.proposals.push_back({.title = kAsk,
                                   .changes = {remove_environment(std::string(variable))},
                                   .safety = Safety::ChangesBehaviour});
  }
  return {complaint};
}

}  // namespace

extern const Rule hf_access{
    .code = "SX4106",
    .name = "hf-access",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
