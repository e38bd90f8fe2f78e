// SX1110. The long explanation and the scenes are in visible_devices_repeated.md.
#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "rules/command/gpu_lists.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{
    "CUDA_VISIBLE_DEVICES names {gpus} more than once, and so shows no GPU at all",
    "CUDA_VISIBLE_DEVICES 重复写了 {gpus}，结果一张 GPU 也看不到"};
constexpr Text kRepeated{"repeated: {gpus}", "重复：{gpus}"};
constexpr Text kBasis{"CUDA_VISIBLE_DEVICES={mask}, set where the command is started",
                      "CUDA_VISIBLE_DEVICES={mask}，来自启动命令的环境"};
constexpr Text kBecause{"the CUDA runtime discards a list that names one GPU twice",
                        "列表里有重复的 GPU 时，CUDA 运行时会丢弃整个列表"};
constexpr Text kOtherwise{"the launch ends within seconds: \"no CUDA-capable device is detected\"",
                          "几秒内退出：“no CUDA-capable device is detected”"};
constexpr Text kEachOnce{"name each once: {gpus}", "每张只写一次：{gpus}"};
constexpr Text kNameOnce{"name each GPU once", "每张 GPU 只写一次"};
constexpr Text kOthers{"take other GPUs in place of the repeated ones: {gpus}",
                       "把重复的换成其他 GPU：{gpus}"};

constexpr Need kDoubts[] = {Need::VisibleDevices};

bool ends_list(const std::string& entry) {
  return entry.empty() || entry.front() == '-' || lower(entry) == "nodevfiles";
}

// By the machine's own GPUs where it is known, else by the words alone.
std::vector<std::string> repeated(const VisibleDevices& visible) {
  if (visible.known) return visible.repeated;
  std::vector<std::string> seen;
  std::vector<std::string> twice;
  for (const std::string& entry : visible.entries) {
    if (ends_list(entry)) break;
    const bool again = std::ranges::find(seen, entry) != seen.end();
    if (again && std::ranges::find(twice, entry) == twice.end()) twice.push_back(entry);
    seen.push_back(entry);
  }
  return twice;
}

std::vector<std::string> each_once(const VisibleDevices& visible) {
  std::vector<std::string> once;
  for (const std::string& entry : visible.entries) {
    if (ends_list(entry)) break;
    if (std::ranges::find(once, entry) == once.end()) once.push_back(entry);
  }
  return once;
}

std::vector<Proposal> proposals(const Case& c) {
  const auto once = each_once(c.visible);
  std::vector<Proposal> all{{.title = {kEachOnce, {{"gpus", join(once, ", ")}}},
                             .changes = {set_environment(std::string(kMask), join(once, ","))}}};
  std::vector<int> numbers;
  for (const std::string& entry : once) {
    const auto number = to_integer(entry);
    if (!number || *number >= c.host().gpu_count.value_or(0)) return all;
    numbers.push_back(static_cast<int>(*number));
  }
  const auto others =
      filled_up(numbers, std::max(c.visible.entries.size(), gpus_needed(c)), c.host());
  if (others.size() == numbers.size()) return all;
  Proposal more{.title = {kOthers, {{"gpus", join(others)}}}, .changes = {set_mask(others)}};
  all.insert(once.size() < gpus_needed(c) ? all.begin() : all.end(), std::move(more));
  return all;
}

std::vector<Complaint> check(const Case& c) {
  const auto twice = repeated(c.visible);
  if (twice.empty()) return {};
  std::vector<std::string> names;
  names.reserve(twice.size());
  for (const std::string& entry : twice)
    names.push_back(to_integer(entry) ? "GPU " + entry : entry);

  Complaint complaint;
  if (starts_without_gpu(c.serve)) complaint.severity = Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"gpus", join(names, ", ")}}};
  also(d, c.serve.visible_devices, {kRepeated, {{"gpus", join(twice, ", ")}}},
       {kBasis, {{"mask", c.serve.visible_devices.value_or({})}}});
  if (!d.labels.empty()) d.labels.front().primary = true;
  d.because = kBecause;
  d.otherwise = starts_without_gpu(c.serve) ? kStartsOnHost : kOtherwise;
  d.subject = kMask;
  complaint.proposals = proposals(c);
  d.no_fix = kNameOnce;
  return {complaint};
}

}  // namespace

extern const Rule visible_devices_repeated{
    .code = "SX1110",
    .name = "visible-devices-repeated",
    .severity = Severity::Error,
    .doubts = kDoubts,
    .check = check,
};

}  // namespace sx::rules
