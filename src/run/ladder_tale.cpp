// The last failure against the largest rung that worked before it.
#include "run/ladder_tale.h"

#include <algorithm>
#include <array>

#include "diag/message.h"
#include "knowledge/again.h"
#include "knowledge/causes.h"
#include "run/layout_key.h"
#include "run/layout_memory.h"

namespace sx {
namespace {

constexpr std::size_t kMostResults = 64;  // a deployment has fewer layouts and rungs

// The runner's words: nothing was started, so no layout was tried.
constexpr std::array<std::string_view, 2> kNeverBegan{"program-absent", "program-refused"};

constexpr Text kOneGpu{
    "{failed} fails already, and one GPU talks to no other: it is not the links ({cause})",
    "{failed} 就已失败，而单张 GPU 不与其他 GPU 通信：不是链路的问题（{cause}）"};
constexpr Text kSmallest{
    "{failed} is the smallest layout that fits and fails: nothing is proven yet ({cause})",
    "{failed} 是放得下的最小布局，它失败了：目前还没有任何验证通过（{cause}）"};
constexpr Text kLinks{"{good} works, {failed} hangs: it is the links between its GPUs ({cause})",
                      "{good} 正常，{failed} 卡住：问题在它的 GPU 之间的链路（{cause}）"};
constexpr Text kLinksEnd{
    "{good} works, {failed} fails in communication: it is the links between its GPUs ({cause})",
    "{good} 正常，{failed} 通信失败：问题在它的 GPU 之间的链路（{cause}）"};
constexpr Text kSplit{
    "{good} works, {failed} is refused: the model is not split that way ({cause})",
    "{good} 正常，{failed} 被拒绝：模型不能这样切分（{cause}）"};
constexpr Text kMemory{"{good} works, {failed} runs out of memory: it is its sizes ({cause})",
                       "{good} 正常，{failed} 显存不足：问题在它的各项大小（{cause}）"};
constexpr Text kMachine{
    "{good} works, {failed} does not: it is the machine, or a GPU that {good} did not use "
    "({cause})",
    "{good} 正常，{failed} 不行：问题在机器，或在 {good} 没有用到的某张 GPU（{cause}）"};
constexpr Text kNew{
    "{good} works, {failed} does not: files, tokenizer and code path are good, what is new in "
    "{failed} is not ({cause})",
    "{good} 正常，{failed} 不行：文件、分词器和代码路径没有问题，问题在 {failed} 新增的部分"
    "（{cause}）"};

Text text_of(const RungResult& failed, std::string_view family) {
  if (family == "layout") return kSplit;
  if (family == "memory") return kMemory;
  if (family == "machine") return kMachine;
  if (failed.hung) return kLinks;
  return again_after(failed.cause).links ? kLinksEnd : kNew;
}

}  // namespace

void LadderTale::add(const DeployedLayout& layout, const LayoutProven& proven) {
  std::size_t gpus = 0;
  for (const EngineLaunch& launch : layout.replicas) {
    if (launch.model == proven.model) gpus = std::max(gpus, launch.gpus.size());
  }
  const std::string label = layout_name(layout, proven.model);
  const auto latest =
      std::ranges::find(results_.rbegin(), results_.rend(), proven.model, &RungResult::model);
  const bool again = latest != results_.rend() && latest->label == label;
  if (again && proven.good && latest->good) return;  // ready once more after a restart
  if (results_.size() >= kMostResults) results_.erase(results_.begin());
  results_.push_back({.label = label,
                      .model = proven.model,
                      .proves = layout.proves,
                      .gpus = gpus,
                      .good = proven.good,
                      .cause = proven.cause,
                      .hung = proven.hung});
}

std::optional<Both> ladder_verdict(const std::vector<RungResult>& results) {
  const auto bad = std::ranges::find_if(results.rbegin(), results.rend(),
                                        [](const RungResult& one) { return !one.good; });
  const bool climbed =
      std::ranges::any_of(results, [](const RungResult& one) { return !one.proves.empty(); });
  if (bad == results.rend() || !climbed) return std::nullopt;
  const RungResult& failed = *bad;
  if (std::ranges::find(kNeverBegan, failed.cause) != kNeverBegan.end()) return std::nullopt;
  const CauseRow* row = find_cause(failed.cause);
  const Both cause = cause_words(failed.cause);
  const RungResult* good = nullptr;  // the largest smaller one
  for (const RungResult& one : results) {
    const bool smaller = one.good && one.model == failed.model && one.gpus <= failed.gpus;
    if (smaller && (good == nullptr || one.gpus >= good->gpus)) good = &one;
  }
  if (good == nullptr)
    return in_both(
        {failed.gpus <= 1 ? kOneGpu : kSmallest, {{"failed", failed.label}, {"cause", cause}}});
  return in_both({text_of(failed, row == nullptr ? "" : row->family),
                  {{"good", good->label}, {"failed", failed.label}, {"cause", cause}}});
}

}  // namespace sx
