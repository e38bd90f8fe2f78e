// SX1112. The long explanation and the scenes are in visible_devices_uuid.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "facts/visible_devices.h"
#include "knowledge/flags.h"
#include "knowledge/traits.h"
#include "rules/command/flag_words.h"
#include "rules/command/gpu_lists.h"

namespace sx::rules {
namespace {

constexpr Text kRefused{"{engine} takes only numbers in CUDA_VISIBLE_DEVICES, not UUIDs",
                        "{engine} 的 CUDA_VISIBLE_DEVICES 只能写编号，不能写 UUID"};
constexpr Text kUnsure{"{engine} may take only numbers in CUDA_VISIBLE_DEVICES, not UUIDs",
                       "{engine} 的 CUDA_VISIBLE_DEVICES 可能只能写编号，不能写 UUID"};
constexpr Text kShortened{"{engine} may not find {uuid}: it looks up whole UUIDs",
                          "{engine} 可能找不到 {uuid}：它只按完整的 UUID 查找"};
constexpr Text kLabel{"a UUID, not a number", "这是 UUID，不是编号"};
constexpr Text kPart{"a part of a UUID", "只是 UUID 的一部分"};
constexpr Text kBasis{"CUDA_VISIBLE_DEVICES={mask}, set where the command is started",
                      "CUDA_VISIBLE_DEVICES={mask}，来自启动命令的环境"};
constexpr Text kBecause{
    "the CUDA runtime takes UUIDs; this engine turns each entry into a number to ask the driver "
    "about that GPU",
    "CUDA 运行时接受 UUID，但引擎要把每一项转成编号，再向驱动查询对应的 GPU"};
constexpr Text kBecausePart{
    "the CUDA runtime completes a shortened UUID, the driver library that the engine asks does not",
    "CUDA 运行时能补全缩写的 UUID，引擎所用的驱动库却不能"};
constexpr Text kOtherwise{
    "the launch ends within seconds: \"… literal for int() with base 10: '{uuid}'\"; the last line "
    "may only say that the model's architecture could not be inspected",
    "几秒内退出：“… literal for int() with base 10: '{uuid}'”；最后一行可能只说无法检查模型结构"};
constexpr Text kPerhaps{
    "where it does not take them, the launch ends within seconds: \"… literal for int() with base "
    "10: '{uuid}'\"",
    "如果确实不接受，几秒内退出：“… literal for int() with base 10: '{uuid}'”"};
constexpr Text kNotFound{"the launch ends within seconds: \"NVMLError_NotFound\"",
                         "几秒内退出：“NVMLError_NotFound”"};
constexpr Text kNumbers{"use the numbers of these GPUs: {gpus}", "改用这些 GPU 的编号：{gpus}"};
constexpr Text kWhole{"write the whole UUID: {uuid}", "写完整的 UUID：{uuid}"};
constexpr Text kLookUp{
    "`nvidia-smi -L` says which number a UUID has; from {version} on, {engine} takes UUIDs",
    "用 `nvidia-smi -L` 查出 UUID 对应的编号；{engine} 从 {version} 起接受 UUID"};
constexpr Text kMig{
    "a slice of a GPU has no number: hand it to a container of its own; from {version} on, "
    "{engine} takes UUIDs",
    "GPU 的 MIG 分片没有编号：让它单独进一个容器；{engine} 从 {version} 起接受 UUID"};
constexpr Text kListed{"`nvidia-smi -L` prints the whole UUID",
                       "`nvidia-smi -L` 会列出完整的 UUID"};

constexpr std::string_view kTrait = "visible-devices-uuid";
constexpr std::size_t kWholeUuid = 40;  // "GPU-" and 36 characters

// The first version read that takes them.
std::string first_to_take(const Case& c) {
  const EngineFlags* flags = engine_flags(c.serve.engine);
  if (flags == nullptr) return {};
  const auto found = std::ranges::find_if(flags->read, [&c](const Version& version) {
    return trait(c.serve.engine, kTrait, version) == "full";
  });
  return found == flags->read.end() ? std::string() : found->text();
}

void propose_numbers(const Case& c, Complaint& complaint) {
  if (!c.visible.known || c.visible.gpus.empty() ||
      c.visible.gpus.size() != c.visible.entries.size())
    return;
  Proposal proposal{.title = {kNumbers, {{"gpus", join(c.visible.gpus)}}},
                    .changes = {set_mask(c.visible.gpus)}};
  // Numbers mean the order of the bus only where that is said, unless all cards are alike.
  if (!c.host().uniform())
    proposal.changes.push_back(set_environment("CUDA_DEVICE_ORDER", "PCI_BUS_ID"));
  complaint.proposals.push_back(std::move(proposal));
}

Complaint wants_numbers(const Case& c, const std::string& entry, bool sure) {
  Complaint complaint;
  if (!sure) complaint.severity = Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  const Argument engine("engine", engine_and_version(c.serve));
  d.title = {sure ? kRefused : kUnsure, {engine}};
  also(d, c.serve.visible_devices, kLabel, {kBasis, {{"mask", c.serve.visible_devices.value()}}});
  d.because = kBecause;
  d.otherwise = {sure ? kOtherwise : kPerhaps, {{"uuid", entry.substr(0, 8) + "…"}}};
  const std::vector<Argument> newer{{"engine", engine_name(c.serve)},
                                    {"version", first_to_take(c)}};
  d.no_fix = {entry.starts_with("MIG-") ? kMig : kLookUp, newer};
  propose_numbers(c, complaint);
  return complaint;
}

Complaint wants_whole(const Case& c, const std::string& entry) {
  Complaint complaint;
  complaint.severity = Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kShortened, {{"engine", engine_and_version(c.serve)}, {"uuid", entry}}};
  also(d, c.serve.visible_devices, kPart, {kBasis, {{"mask", c.serve.visible_devices.value()}}});
  d.because = kBecausePart;
  d.otherwise = kNotFound;
  d.no_fix = kListed;
  if (c.visible.known && c.visible.gpus.size() == c.visible.entries.size()) {
    std::vector<std::string> uuids;
    uuids.reserve(c.visible.gpus.size());
    for (const int index : c.visible.gpus) {
      const auto gpu = std::ranges::find(c.host().gpus, index, &Gpu::index);
      if (gpu != c.host().gpus.end()) uuids.push_back(gpu->uuid);
    }
    complaint.proposals.push_back(
        {.title = {kWhole, {{"uuid", join(uuids, ", ")}}},
         .changes = {set_environment(std::string(kMask), join(uuids, ","))},
         .safety = Safety::Safe});
  }
  propose_numbers(c, complaint);
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  const auto& entries = c.visible.entries;
  const auto entry = std::ranges::find_if(entries, names_uuid);
  if (entry == entries.end() || !c.serve.visible_devices.known()) return {};
  const auto taken = trait(c.serve.engine, kTrait, c.serve.version);
  std::optional<Complaint> complaint;
  if (taken != "full") {
    complaint = wants_numbers(c, *entry, taken == "refused");
  } else {
    const auto part = std::ranges::find_if(entries, [](const std::string& one) {
      return one.starts_with("GPU-") && one.size() < kWholeUuid;
    });
    if (part != entries.end()) complaint = wants_whole(c, *part);
  }
  if (!complaint) return {};
  Diagnostic& d = complaint->diagnostic;
  if (!d.labels.empty()) d.labels.front().primary = true;
  d.subject = kMask;
  return {*std::move(complaint)};
}

}  // namespace

extern const Rule visible_devices_uuid{
    .code = "SX1112",
    .name = "visible-devices-uuid",
    .severity = Severity::Error,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
