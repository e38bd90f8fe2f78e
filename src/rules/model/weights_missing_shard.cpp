// SX4101. The long explanation and the scenes are in weights_missing_shard.md.
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "knowledge/traits.h"
#include "rules/model/surroundings.h"
#include "rules/model/weight_words.h"

namespace sx::rules {
namespace {

constexpr Text kOne{"{file} is missing, one of {all} weight files",
                    "缺少 {file}，它是 {all} 个权重文件之一"};
constexpr Text kMany{"{count} of {all} weight files are missing",
                     "{all} 个权重文件中缺少 {count} 个"};
constexpr Text kCacheOne{"the cache lacks {file}, one of {all} weight files",
                         "缓存里缺少 {file}，它是 {all} 个权重文件之一"};
constexpr Text kCacheMany{"the cache lacks {count} of {all} weight files",
                          "{all} 个权重文件中有 {count} 个不在缓存里"};
constexpr Text kBecause{"each weight file holds tensors that stand in no other file",
                        "每个权重文件都保存着别的文件里没有的张量"};
constexpr Text kNamed{
    "the engine names the missing files and exits before it loads the first one, about a minute "
    "after the start",
    "启动约一分钟后，引擎在加载第一个文件之前列出缺少的文件并退出"};
constexpr Text kUnfilled{
    "{engine} does not look: it loads all other files (minutes), then exits and lists the "
    "weights that nothing filled",
    "{engine} 不做检查：先加载其余所有文件（几分钟），然后列出没有填上的权重并退出"};
constexpr Text kNoise{
    "{engine} does not look, least of all for quantised models: it may start and answer with "
    "noise, "
    "because those tensors stay as they were in memory",
    "{engine} "
    "不做检查，对量化模型尤其如此：可能照常启动，回答却是乱码，因为这些张量仍是显存里的残值"};
constexpr Text kMayBeNoise{
    "{engine} does not look: it may start and answer with noise, because those tensors stay as "
    "they were in memory",
    "{engine} 不做检查：可能照常启动，回答却是乱码，因为这些张量仍是显存里的残值"};
constexpr Text kSplit{"the load ends within seconds: \"failed to load GGUF split from {file}\"",
                      "几秒内加载失败：“failed to load GGUF split from {file}”"};
constexpr Text kDownloads{"the engine fetches what the cache lacks before it loads",
                          "引擎会先下载缓存里缺少的文件再加载"};
constexpr Text kWait{
    "the start takes longer by the download and ends there without a network; beforehand: hf "
    "download {id}",
    "启动要多等下载的时间，没有网络时到此为止；可以提前下载：hf download {id}"};

constexpr Need kNeeds[] = {Need::ModelFiles};

Message otherwise(const Case& c) {
  const ServeSpec& serve = c.serve;
  if (serve.engine == "llamacpp") {
    const auto missing = files_in_state(c.model(), FileState::Missing);
    return {kSplit, {{"file", missing.front()->path}}};
  }
  if (trait(serve.engine, "missing-shard", serve.version) == "refused") return {kNamed};
  const Argument engine("engine", engine_and_version(serve));
  if (trait(serve.engine, "missing-shard", serve.version) == "noise")
    return {kMayBeNoise, {engine}};
  return c.model().is_quantised() ? Message{kNoise, {engine}} : Message{kUnfilled, {engine}};
}

std::vector<Complaint> check(const Case& c) {
  const ModelSpec& model = c.model();
  const auto missing = files_in_state(model, FileState::Missing);
  if (missing.empty() || !loads_weight_files(c.serve)) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument all("all", files_of_checkpoint(model));
  const bool fetched = model.from == ModelFrom::Cache && !offline(c);
  const bool one = missing.size() == 1;
  const Argument file("file", missing.front()->path);
  const Argument count("count", missing.size());
  d.title = one ? Message{fetched ? kCacheOne : kOne, {file, all}}
                : Message{fetched ? kCacheMany : kMany, {count, all}};
  mark_files(c, d, missing);
  d.subject = "model";
  if (fetched) {
    complaint.severity = Severity::Advice;
    d.because = kDownloads;
    d.otherwise = {kWait, {{"id", model.id}}};
    return {complaint};
  }
  d.no_fix = fetch_missing(c);
  d.because = kBecause;
  d.otherwise = otherwise(c);
  return {complaint};
}

}  // namespace

extern const Rule weights_missing_shard{
    .code = "SX4101",
    .name = "weights-missing-shard",
    .severity = Severity::Error,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
