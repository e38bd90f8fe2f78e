// SX5107. The long explanation and the scenes are in mig_multi_gpu.md.
#include <string>
#include <vector>

#include "check/gpu_condition.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{ranks} ranks over GPUs {gpus}, which are split into MIG instances",
                      "{ranks} 个 rank 跨 GPU {gpus}，而这些卡已划分成 MIG 实例"};
constexpr Text kLabel{"a process sees one instance, not {ranks} cards",
                      "一个进程只能看到一个实例，而不是 {ranks} 张卡"};
constexpr Text kMig{"MIG mode of GPUs {gpus}: enabled", "GPU {gpus} 的 MIG 模式：已启用"};
constexpr Text kBecause{
    "CUDA shows a process one MIG instance, and instances cannot reach each other directly",
    "CUDA 只向一个进程提供一个 MIG 实例，实例之间也不能直接访问"};
constexpr Text kOtherwise{
    "the engine exits at the start: fewer devices than ranks; where it starts, ranks meet on one "
    "instance or exchange through host memory",
    "引擎一启动就退出：设备数少于 rank 数；即便能启动，也会有多个 rank "
    "挤在同一实例，或只能经过内存交换"};
constexpr Text kOne{"one rank on one instance", "一个 rank 用一个实例"};
constexpr Text kNoFix{
    "use cards without MIG, or turn it off on these: `nvidia-smi -i {gpus} -mig 0`, which ends all "
    "instances",
    "使用没有启用 MIG 的卡，或在这些卡上关闭：`nvidia-smi -i {gpus} -mig 0`，会结束所有实例"};

constexpr Need kNeeds[] = {Need::HostMig, Need::ParallelSizes, Need::VisibleDevices};

std::vector<Complaint> check(const Case& c) {
  const int ranks = c.serve.world_size().value_or(1);
  std::vector<const Gpu*> split, all;
  for (const Gpu& gpu : c.host().gpus) {
    if (gpu.mig.value_or(false)) all.push_back(&gpu);
  }
  const auto cards = cards_in_question(c);
  for (const Gpu* card : cards) {
    if (card->mig.value_or(false)) split.push_back(card);
  }
  // A launch on whole cards besides split ones is as good as any.
  if (ranks < 2 || split.empty()) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument count("ranks", ranks), gpus("gpus", numbers_of(split));
  d.title = {kTitle, {count, gpus}};
  mark(d, c.serve.tensor_parallel, {kLabel, {count}});
  show(d, split.front()->mig, {}, {kMig, {gpus}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--tensor-parallel-size";
  d.no_fix = {kNoFix, {gpus}};
  propose_other_cards(c, all, complaint.proposals);
  if (c.serve.tensor_parallel.value_or(1) == ranks && split.size() == cards.size())
    complaint.proposals.push_back(
        {kOne, {remove_flag("--tensor-parallel-size")}, Safety::ChangesBehaviour});
  return {complaint};
}

}  // namespace

extern const Rule mig_multi_gpu{
    .code = "SX5107",
    .name = "mig-multi-gpu",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
