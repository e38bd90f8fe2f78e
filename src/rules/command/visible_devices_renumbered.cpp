// SX1111. The long explanation and the scenes are in visible_devices_renumbered.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "rules/command/gpu_lists.h"

namespace sx::rules {
namespace {

constexpr Text kMany{"CUDA_VISIBLE_DEVICES names GPU {gpu}, and the GPUs here are 0 to {last}",
                     "CUDA_VISIBLE_DEVICES 写了 GPU {gpu}，而这里的 GPU 是 0 到 {last}"};
constexpr Text kOne{"CUDA_VISIBLE_DEVICES names GPU {gpu}, and the only GPU here is 0",
                    "CUDA_VISIBLE_DEVICES 写了 GPU {gpu}，而这里只有 GPU 0"};
constexpr Text kNoUuid{"CUDA_VISIBLE_DEVICES names {gpu}, and no GPU here has that UUID",
                       "CUDA_VISIBLE_DEVICES 写了 {gpu}，而这里没有这个 UUID 的 GPU"};
constexpr Text kNoName{"{gpu} in CUDA_VISIBLE_DEVICES names no GPU",
                       "CUDA_VISIBLE_DEVICES 里的 {gpu} 不是 GPU 的编号"};
constexpr Text kBasis{"CUDA_VISIBLE_DEVICES={mask}, set where the command is started",
                      "CUDA_VISIBLE_DEVICES={mask}，来自启动命令的环境"};
constexpr Text kNoneLeft{"CUDA stops at {gpu}: no GPU is left",
                         "CUDA 读到 {gpu} 就停止：一张 GPU 也不剩"};
constexpr Text kLeft{"CUDA stops at {gpu}; left: {gpus}", "CUDA 读到 {gpu} 就停止；只剩：{gpus}"};
constexpr Text kBecause{
    "GPUs count from 0 as this process sees them: a container or a scheduler that hands out some "
    "counts them anew",
    "编号从 0 开始，按本进程看到的 GPU 计：容器或调度器只分配一部分时会重新编号"};
constexpr Text kBecauseList{
    "CUDA reads the list up to the first entry that names no GPU, and passes over the rest",
    "CUDA 读到第一个找不到的 GPU 为止，其后的全部忽略"};
constexpr Text kNoDevice{"the launch ends within seconds: \"no CUDA-capable device is detected\"",
                         "几秒内退出：“no CUDA-capable device is detected”"};
constexpr Text kTooFew{
    "GPUs visible: {left}; wanted: {wanted}. The launch ends before it loads any weights",
    "可见 GPU：{left}；需要：{wanted}。尚未加载权重就会退出"};
constexpr Text kFewer{
    "the launch works with the GPUs in front of that entry, and never uses the others",
    "只用这一项之前的 GPU 启动，其余的永远用不上"};
constexpr Text kFromZero{"use GPUs counted from 0: {gpus}", "改用从 0 开始的编号：{gpus}"};
constexpr Text kNoMask{"leave CUDA_VISIBLE_DEVICES out: every GPU that this process sees",
                       "去掉 CUDA_VISIBLE_DEVICES：使用本进程看到的全部 GPU"};
constexpr Text kNotEnough{"GPUs here: {count}; wanted by the command: {wanted}",
                          "这里的 GPU：{count}；命令需要：{wanted}"};

constexpr Text kIdsBehind{
    "--device-ids names GPU {gpu}, and behind the mask the GPUs are 0 to {last}",
    "--device-ids 写了 GPU {gpu}，而经过掩码后 GPU 是 0 到 {last}"};
constexpr Text kIdsHere{"--device-ids names GPU {gpu}, and the GPUs here are 0 to {last}",
                        "--device-ids 写了 GPU {gpu}，而这里的 GPU 是 0 到 {last}"};
constexpr Text kPlaces{"counts places in CUDA_VISIBLE_DEVICES",
                       "按 CUDA_VISIBLE_DEVICES 中的位置编号"};
constexpr Text kBecausePlaces{
    "behind a mask, --device-ids counts the places of the mask and not the GPUs of the machine",
    "设置了掩码时，--device-ids 是掩码中的位置，不是机器上的编号"};
constexpr Text kIdsRefused{
    "the launch ends with a traceback that names --device-ids, before it loads any weights",
    "抛出指明 --device-ids 的异常退出，此时尚未加载权重"};
constexpr Text kIdsPlaces{"write the places: {gpus}", "写成位置：{gpus}"};

constexpr Need kNeeds[] = {Need::VisibleDevices};
constexpr Need kDoubts[] = {Need::VisibleDevices};

Message title_of(const std::string& entry, int count) {
  if (!to_integer(entry))
    return {entry.starts_with("GPU-") || entry.starts_with("MIG-") ? kNoUuid : kNoName,
            {{"gpu", entry}}};
  return count == 1 ? Message{kOne, {{"gpu", entry}}}
                    : Message{kMany, {{"gpu", entry}, {"last", count - 1}}};
}

// The entries that name GPUs of this machine, and others in place of those that do not.
std::vector<int> meant(const Case& c) {
  std::vector<int> gpus;
  for (const std::string& entry : c.visible.entries) {
    const auto number = to_integer(entry);
    if (!number || *number < 0 || *number >= c.host().gpu_count.value()) continue;
    if (std::ranges::find(gpus, static_cast<int>(*number)) == gpus.end())
      gpus.push_back(static_cast<int>(*number));
  }
  return filled_up(std::move(gpus),
                   std::max(gpus_needed(c), std::min<std::size_t>(c.visible.entries.size(), 64)),
                   c.host());
}

std::optional<Complaint> about_mask(const Case& c) {
  const int count = c.host().gpu_count.value();
  if (c.visible.out_of_range.empty() || count == 0) return {};
  const std::string& entry = c.visible.out_of_range.front();
  const std::size_t left = c.visible.gpus.size();
  const auto wanted = c.serve.gpus_wanted();
  const bool enough =
      left > 0 && (!wanted || left >= static_cast<std::size_t>(std::max(*wanted, 0)));

  Complaint complaint;
  if (enough || starts_without_gpu(c.serve)) complaint.severity = Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  d.title = title_of(entry, count);
  also(d, c.serve.visible_devices,
       left == 0 ? Message{kNoneLeft, {{"gpu", entry}}}
                 : Message{kLeft, {{"gpu", entry}, {"gpus", join(c.visible.gpus)}}},
       {kBasis, {{"mask", c.serve.visible_devices.value_or({})}}});
  if (!d.labels.empty()) d.labels.front().primary = true;
  d.because = to_integer(entry) ? kBecause : kBecauseList;
  if (left == 0) {
    d.otherwise = starts_without_gpu(c.serve) ? kStartsOnHost : kNoDevice;
  } else if (enough) {
    d.otherwise = kFewer;
  } else {
    d.otherwise = {kTooFew, {{"left", left}, {"wanted", wanted.value_or(0)}}};
  }
  d.subject = kMask;
  const auto gpus = meant(c);
  complaint.proposals.push_back(
      {.title = {kFromZero, {{"gpus", join(gpus)}}}, .changes = {set_mask(gpus)}});
  complaint.proposals.push_back(
      {.title = kNoMask, .changes = {remove_environment(std::string(kMask))}});
  if (wanted) d.no_fix = {kNotEnough, {{"count", count}, {"wanted", *wanted}}};
  return complaint;
}

// Places in the mask of the GPUs that were named by the machine's own numbers.
std::vector<int> places(const VisibleDevices& visible, const std::vector<int>& ids) {
  std::vector<int> found;
  for (const int id : ids) {
    const auto at = std::ranges::find(visible.gpus, id);
    if (at == visible.gpus.end()) return {};
    found.push_back(static_cast<int>(at - visible.gpus.begin()));
  }
  return found;
}

std::optional<Complaint> about_ids(const Case& c) {
  const FlagUse* use = c.serve.use_of("--device-ids");
  const int count = static_cast<int>(c.visible.gpus.size());
  if (use == nullptr || !use->complete || use->values.empty() || count == 0) return {};
  std::vector<int> ids;
  for (const auto part : split(use->values.front(), ',')) {
    const auto number = to_integer(trimmed(part));
    if (!number || *number < 0 || *number > 4096) return {};  // UUIDs are looked up by name
    ids.push_back(static_cast<int>(*number));
  }
  const auto beyond = std::ranges::find_if(ids, [count](int id) { return id >= count; });
  if (beyond == ids.end()) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {c.visible.masked ? kIdsBehind : kIdsHere, {{"gpu", *beyond}, {"last", count - 1}}};
  mark(d, use->span, c.visible.masked ? Message{kPlaces} : Message{});
  mark(d, c.serve.visible_devices, {});
  d.because = c.visible.masked ? kBecausePlaces : kBecause;
  d.otherwise = kIdsRefused;
  d.subject = "--device-ids";
  const auto found = places(c.visible, ids);
  const std::vector<int> lowest = filled_up({}, ids.size(), c.host());
  const auto& better = found.empty() ? lowest : found;
  complaint.proposals.push_back(
      {.title = {found.empty() ? kFromZero : kIdsPlaces, {{"gpus", join(better)}}},
       .changes = {set_flag("--device-ids", join(better, ","))}});
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  if (auto mask = about_mask(c)) complaints.push_back(*std::move(mask));
  if (auto ids = about_ids(c)) complaints.push_back(*std::move(ids));
  return complaints;
}

}  // namespace

extern const Rule visible_devices_renumbered{
    .code = "SX1111",
    .name = "visible-devices-renumbered",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .check = check,
};

}  // namespace sx::rules
