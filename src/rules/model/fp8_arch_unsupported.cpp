// SX4107. The long explanation and the scenes are in fp8_arch_unsupported.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/quantisation.h"
#include "rules/model/capability_words.h"
#include "rules/model/number_format.h"
#include "rules/model/surroundings.h"

namespace sx::rules {
namespace {

constexpr Text kProfile{
    "all weights are loaded (minutes), then the first trial run dies in a kernel: \"type fp8e4nv "
    "not supported in this "
    "architecture\"",
    "权重全部加载完之后（几分钟），第一次试运行时内核报错：“type fp8e4nv not supported in this "
    "architecture”"};

constexpr Text kWidened{"FP8 weights on {card}, which has no FP8 units",
                        "{card} 没有 FP8 单元，权重却是 FP8"};
constexpr Text kWidenedWhy{
    "tensor units for FP8 come with compute capability {native}; below, a kernel (Marlin) widens "
    "the weights as it reads them",
    "计算能力 {native} 起才有 FP8 张量单元；低于它时由内核（Marlin）在读取权重时展开成 16 位"};
constexpr Text kWidenedSo{
    "it runs and saves memory; few users at a time still gain, long prompts and many users are no "
    "faster than in 16 bit",
    "可以运行，也省显存；并发少时仍有收益，长提示词和高并发时不会比 16 位更快"};

constexpr Text kCache{"an FP8 KV cache needs compute capability {need}, {card} has {have}",
                      "FP8 的 KV 缓存要求计算能力 {need}，{card} 只有 {have}"};
constexpr Text kCacheWhy{"no attention backend of {engine} takes an FP8 KV cache below {need}",
                         "{engine} 的注意力后端在 {need} 以下都不支持 FP8 的 KV 缓存"};
constexpr Text kCacheStops{
    "the ranks exit while they build the model, before any weights are loaded",
    "各 rank 在构建模型时退出，此时尚未加载权重"};
constexpr Text kCacheSixteen{"a KV cache in 16 bit: half as many tokens in the same memory",
                             "KV 缓存改用 16 位：同样的显存只能容纳一半的 token"};

constexpr Need kNeeds[] = {Need::ModelQuantisation, Need::HostGpuKind, Need::VisibleDevices};

Message otherwise(const Case& c, const NumberFormat& format, const CapabilityGap& gap) {
  const bool kernel_dies = format.scheme == "fp8 block" || format.scheme == "fp8 experts";
  const bool method_allows = gap.method_need && gap.have >= *gap.method_need;
  return kernel_dies && method_allows ? Message{kProfile} : refused(c, format, gap);
}

Complaint advice(const Case& c, const NumberFormat& format, const Gpu& gpu,
                 const ComputeCapability& native) {
  Complaint complaint;
  complaint.severity = Severity::Advice;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kWidened, {{"card", card_words(c, gpu)}}};
  mark_format(c, d, format);
  d.because = {kWidenedWhy, {{"native", native.text()}}};
  d.otherwise = kWidenedSo;
  d.subject = "quantisation";
  return complaint;
}

std::vector<Complaint> of_weights(const Case& c, const Gpu& gpu) {
  const auto format = number_format(c);
  if (!format || !format->fp8) return {};
  if (const auto gap = capability_gap(c, *format, gpu)) {
    Complaint complaint = too_old(c, *format, *gap, gpu);
    complaint.diagnostic.otherwise = otherwise(c, *format, *gap);
    return {complaint};
  }
  const QuantisationRow* native =
      quantisation_in(c.serve.engine, QuantisationKind::Native, "fp8", c.serve.version);
  const bool known = needed_capability(*format, c.serve).has_value();
  if (!known || native == nullptr || !native->capability ||
      gpu.capability.value() >= *native->capability)
    return {};
  return {advice(c, *format, gpu, *native->capability)};
}

std::vector<Complaint> of_cache(const Case& c, const Gpu& gpu) {
  const ServeSpec& serve = c.serve;
  const std::string asked = serve.kv_dtype.value_or("auto");
  if (!asked.starts_with("fp8") || c.model().is_mla()) return {};
  const QuantisationRow* row =
      quantisation_in(serve.engine, QuantisationKind::Cache, "fp8", serve.version);
  if (row == nullptr || !row->capability || gpu.capability.value() >= *row->capability) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument need("need", row->capability->text());
  d.title = {kCache, {need, {"card", card_words(c, gpu)}, {"have", gpu.capability.value().text()}}};
  mark(d, serve.kv_dtype, {});
  d.because = {kCacheWhy, {need, {"engine", engine_and_version(serve)}}};
  d.otherwise = kCacheStops;
  d.subject = "--kv-cache-dtype";
  complaint.proposals.push_back({.title = kCacheSixteen,
                                 .changes = {remove_flag("--kv-cache-dtype")},
                                 .safety = Safety::Trades});
  return {complaint};
}

std::vector<Complaint> check(const Case& c) {
  const Gpu* gpu = weakest_gpu(c);
  if (gpu == nullptr) return {};
  std::vector<Complaint> complaints = of_weights(c, *gpu);
  for (Complaint& complaint : of_cache(c, *gpu)) complaints.push_back(std::move(complaint));
  return complaints;
}

}  // namespace

extern const Rule fp8_arch_unsupported{
    .code = "SX4107",
    .name = "fp8-arch-unsupported",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
