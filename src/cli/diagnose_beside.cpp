// Sentences are short and say what to look at first; the document has all of it.
#include "cli/diagnose_beside.h"

#include <algorithm>

#include "cli/rank_gpus.h"
#include "knowledge/nccl_reasons.h"
#include "knowledge/xids.h"
#include "logs/nccl_verdict.h"
#include "logs/waits.h"

namespace sx {
namespace {

constexpr std::size_t kMostGroupsSaid = 4;
constexpr std::size_t kMostPairsSaid = 6;
constexpr std::size_t kMostKernelSaid = 8;
constexpr std::size_t kMostStacksSaid = 64;

constexpr Text kVersion{"NCCL {version}", "NCCL {version}"};
constexpr Text kVersionOver{"NCCL {version}, other hosts over {network}",
                            "NCCL {version}，跨主机走 {network}"};
constexpr Text kAllJoined{"{size} ranks: all have joined", "{size} 个 rank：全部已加入"};
constexpr Text kUnfinished{"{size} ranks: {joined} joined; began and not finished: {unfinished}",
                           "{size} 个 rank：{joined} 个已加入；已开始但没有完成：{unfinished}"};
constexpr Text kAbsent{
    "{size} ranks: {joined} joined; began and not finished: {unfinished}; never began: {absent}",
    "{size} 个 rank：{joined} 个已加入；已开始但没有完成：{unfinished}；没有开始：{absent}"};
constexpr Text kOnlyAbsent{"{size} ranks: {joined} joined; no line of: {absent}",
                           "{size} 个 rank：{joined} 个已加入；没有任何输出：{absent}"};
constexpr Text kWay{"over {how}: {count} pairs of ranks ({pairs})",
                    "经 {how}：{count} 对 rank（{pairs}）"};
constexpr Text kSlowWay{
    "rank {a} and rank {b} sit on GPUs joined by {link}, yet they talk over {how}",
    "rank {a} 与 rank {b} 所在的 GPU 由 {link} 相连，通信却走 {how}"};
constexpr Text kOnGpu{"rank {rank} is GPU {gpu} ({bus})", "rank {rank} 在 GPU {gpu}（{bus}）"};
constexpr Text kPicked{"picked up from the environment: {list}", "读到的环境变量：{list}"};
constexpr Text kFailedAt{"the first call that failed: {words}", "最先失败的调用：{words}"};
constexpr Text kReason{"{means}", "{means}"};
constexpr Text kWatchdog{"rank {ranks} waited for collective {sequence} ({operation})",
                         "rank {ranks} 在等第 {sequence} 个集合通信（{operation}）"};
constexpr Text kGroupBehind{
    "rank {ranks} gave fewer collectives to its GPU than the others: behind",
    "rank {ranks} 提交的集合通信比其他 rank 少：落后"};
constexpr Text kSilent{"rank {ranks} says nothing while the others time out",
                       "其他 rank 超时的时候，rank {ranks} 没有任何输出"};
constexpr Text kUnlike{"at the same collective the ranks do unlike things: {list}",
                       "同一个集合通信上各 rank 的操作不一致：{list}"};
constexpr Text kXid{"Xid {code} on {gpu}: {meaning}", "Xid {code}，位于 {gpu}：{meaning}"};
constexpr Text kXidAction{"Xid {code} on {gpu}: {meaning}; what helps: {action}",
                          "Xid {code}，位于 {gpu}：{meaning}；处理：{action}"};
constexpr Text kXidUnknown{"Xid {code} on {gpu}, which is not in the catalogue",
                           "目录里没有的 Xid {code}，位于 {gpu}"};
constexpr Text kSxid{"SXid {code} of the NVSwitch at {gpu}", "NVSwitch {gpu} 的 SXid {code}"};
constexpr Text kFellOff{"{gpu} has fallen off the bus", "从总线上掉线：{gpu}"};
constexpr Text kMismatch{"the driver's library and its kernel module have unlike versions",
                         "驱动的库与内核模块版本不一致"};
constexpr Text kPcie{"errors on the PCIe link of {gpu}, corrected ones not counted",
                     "PCIe 链路有错误（不含已纠正的）：{gpu}"};
constexpr Text kIommu{"the IOMMU stopped a transfer of {gpu}", "IOMMU 拦下了一次传输，设备：{gpu}"};
constexpr Text kKilled{"the kernel killed {process} for lack of host memory",
                       "内核因内存不足杀掉了 {process}"};
constexpr Text kKilledGroup{"the kernel killed {process} at the memory limit of its container",
                            "{process} 触及容器的内存上限，被内核杀掉"};
constexpr Text kMoreKernel{"{count} more kinds of kernel messages", "另有 {count} 类内核消息"};
constexpr Text kStack{"{who} {said}: {frame}", "{who} {said}：{frame}"};
constexpr Text kStackBehind{"{who} {said}: {frame}; the others wait for it",
                            "{who} {said}：{frame}；其他 rank 都在等它"};
constexpr Text kStackUnknown{"{who} is in {frame}", "{who} 停在 {frame}"};
constexpr Text kSomeGpu{"a GPU", "某张 GPU"};
constexpr Text kGpuNumber{"GPU {gpu} ({bus})", "GPU {gpu}（{bus}）"};
constexpr Text kSomeProcess{"a process", "某个进程"};
constexpr Text kRankName{"rank {rank}", "rank {rank}"};
constexpr Text kProcessName{"process {name}", "进程 {name}"};

Both gpu_words(const HostSpec* host, std::string_view pci) {
  if (pci.empty()) return in_both({kSomeGpu});
  if (const Gpu* gpu = gpu_at(host, pci))
    return in_both({kGpuNumber, {{"gpu", gpu->index}, {"bus", pci}}});
  return {std::string(pci), std::string(pci)};
}

Both both(const Sentence& sentence) {
  return {std::string(sentence.english), std::string(sentence.chinese)};
}

class Notes {
 public:
  explicit Notes(const HostSpec* host) : host_(host) {}
  std::vector<BesideNote> take() { return std::move(notes_); }

  void nccl(const NcclLog& log) {
    topic_ = "nccl";
    if (!log.version.empty() || !log.network.empty()) {
      const std::string version = log.version.empty() ? "?" : log.version;
      add(log.network.empty()
              ? Message{kVersion, {{"version", version}}}
              : Message{kVersionOver, {{"version", version}, {"network", log.network}}});
    }
    std::size_t said = 0;
    for (const NcclVerdict& verdict : verdicts_of(log)) {
      if (++said > kMostGroupsSaid) break;
      group(verdict);
    }
    std::string settings;
    for (const auto& [name, value] : log.settings)
      settings.append(settings.empty() ? "" : ", ").append(name).append("=").append(value);
    if (!settings.empty()) add({kPicked, {{"list", settings}}});
    for (const NcclReasonRow& row : nccl_reasons()) {
      const auto line = std::ranges::find_if(
          log.reasons, [&](const NcclWords& words) { return words.text.contains(row.text); });
      if (line != log.reasons.end()) add({kReason, {{"means", both(row.means)}}}, line->at);
    }
    if (!log.failed_at.text.empty())
      add({kFailedAt, {{"words", log.failed_at.text}}}, log.failed_at.at);
  }

  void collectives(const std::vector<CollectiveWait>& waits, const NcclLog& log) {
    topic_ = "collectives";
    const CollectiveVerdict verdict = verdict_of(waits, log);
    if (verdict.first != nullptr) {
      const std::string operation =
          verdict.first->operation.empty() ? "?" : verdict.first->operation;
      add({kWatchdog,
           {{"ranks", rank_list(verdict.waiting)},
            {"sequence", verdict.first->sequence},
            {"operation", operation}}},
          verdict.first->at);
    }
    std::string unlike;
    for (const auto& [rank, operation] : verdict.unlike)
      unlike.append(unlike.empty() ? "" : ", ")
          .append("rank " + std::to_string(rank) + " ")
          .append(operation);
    if (!unlike.empty()) add({kUnlike, {{"list", unlike}}});
    if (!verdict.behind.empty()) add({kGroupBehind, {{"ranks", rank_list(verdict.behind)}}});
    if (!verdict.silent.empty()) add({kSilent, {{"ranks", rank_list(verdict.silent)}}});
  }

  void kernel(const std::vector<KernelNote>& notes) {
    topic_ = "kernel";
    std::size_t said = 0;
    for (const KernelNote& note : notes) {
      if (++said > kMostKernelSaid) break;
      kernel(note);
    }
    if (notes.size() > kMostKernelSaid)
      add({kMoreKernel, {{"count", notes.size() - kMostKernelSaid}}});
  }

  void stacks(const Waits& waits) {
    topic_ = "stacks";
    for (std::size_t i = 0; i < waits.all.size() && i < kMostStacksSaid; ++i) {
      const Wait& wait = waits.all[i];
      std::string frame = wait.frame->name;
      if (!wait.frame->where.empty()) frame.append(" (").append(wait.frame->where).append(")");
      if (wait.row == nullptr) {
        add({kStackUnknown, {{"who", who(*wait.process)}, {"frame", frame}}}, wait.frame->at);
        continue;
      }
      const bool behind = std::ranges::find(waits.behind, i) != waits.behind.end();
      add({behind ? kStackBehind : kStack,
           {{"who", who(*wait.process)}, {"said", both(wait.row->said)}, {"frame", frame}}},
          wait.frame->at);
    }
  }

 private:
  void add(const Message& message, LineAt at = {}) {
    notes_.push_back({.topic = topic_, .said = in_both(message), .at = at});
  }

  static Both who(const StackProcess& process) {
    if (process.rank >= 0) return in_both({kRankName, {{"rank", process.rank}}});
    std::string name = process.command.empty() ? process.process : process.command;
    if (name.size() > 60) name.resize(60);  // a word of the command is enough to tell it by
    if (process.pid > 0) name = std::to_string(process.pid) + (name.empty() ? "" : " " + name);
    if (name.empty()) return in_both({kSomeProcess});
    return in_both({kProcessName, {{"name", name}}});
  }

  void group(const NcclVerdict& verdict) {
    const NcclGroup& group = *verdict.group;
    const std::vector<Argument> arguments{{"size", group.size},
                                          {"joined", verdict.joined},
                                          {"unfinished", rank_list(verdict.unfinished)},
                                          {"absent", rank_list(verdict.absent)}};
    const auto with = [&](const Text& text) { return Message{text, arguments}; };
    if (verdict.whole()) {
      add(with(kAllJoined));
    } else if (verdict.unfinished.empty()) {
      add(with(kOnlyAbsent));
    } else {
      add(with(verdict.absent.empty() ? kUnfinished : kAbsent), group.ranks.front().began);
    }
    for (const NcclWay& way : verdict.ways) {
      std::string pairs;
      for (std::size_t i = 0; i < way.pairs.size() && i < kMostPairsSaid; ++i) {
        pairs += (i == 0 ? "" : ", ") + std::to_string(way.pairs[i].first) + "-" +
                 std::to_string(way.pairs[i].second);
        const std::string link =
            link_between(host_, group, way.pairs[i].first, way.pairs[i].second);
        if (!link.empty()) pairs += " " + link;
      }
      if (way.pairs.size() > kMostPairsSaid) pairs += ", …";
      add({kWay, {{"how", way.how}, {"count", way.pairs.size()}, {"pairs", pairs}}});
    }
    slow_pair(verdict);
    for (const int rank : verdict.unfinished) {
      const NcclRank* const one = group.find(rank);
      const Gpu* const gpu = one == nullptr ? nullptr : gpu_at(host_, one->bus);
      if (gpu != nullptr && verdict.unfinished.size() <= kMostPairsSaid)
        add({kOnGpu, {{"rank", rank}, {"gpu", gpu->index}, {"bus", one->bus}}}, one->began);
    }
  }

  // Cards that NVLink joins and that do not use it.
  void slow_pair(const NcclVerdict& verdict) {
    for (const NcclWay& way : verdict.ways) {
      if (way.how.starts_with("P2P")) continue;
      for (const auto& [a, b] : way.pairs) {
        const std::string link = link_between(host_, *verdict.group, a, b);
        if (!link.starts_with("NV")) continue;
        add({kSlowWay, {{"a", a}, {"b", b}, {"link", link}, {"how", way.how}}});
        return;
      }
    }
  }

  void kernel(const KernelNote& note) {
    const KernelEvent& event = note.event;
    const Argument gpu{"gpu", gpu_words(host_, event.pci)};
    switch (event.kind) {
      case KernelEvent::Kind::Xid:
        return xid(note, gpu);
      case KernelEvent::Kind::Sxid:
        return add({kSxid, {{"code", event.code}, gpu}}, note.at);
      case KernelEvent::Kind::FellOffBus:
        return add({kFellOff, {gpu}}, note.at);
      case KernelEvent::Kind::ApiMismatch:
        return add({kMismatch}, note.at);
      case KernelEvent::Kind::PcieError:
        return add({kPcie, {gpu}}, note.at);
      case KernelEvent::Kind::IommuFault:
        return add({kIommu, {gpu}}, note.at);
      case KernelEvent::Kind::OutOfMemory:
        const Argument process{"process", event.process.empty()
                                              ? in_both({kSomeProcess})
                                              : Both{event.process, event.process}};
        return add({event.severe ? kKilledGroup : kKilled, {process}}, note.at);
    }
  }

  void xid(const KernelNote& note, const Argument& gpu) {
    const XidRow* const row = find_xid(note.event.code);
    const Argument code{"code", note.event.code};
    if (row == nullptr || row->meaning.empty()) return add({kXidUnknown, {code, gpu}}, note.at);
    const Argument meaning{"meaning",
                           Both{std::string(row->meaning), std::string(row->meaning_chinese)}};
    if (row->action.empty()) return add({kXid, {code, gpu, meaning}}, note.at);
    const Argument action{"action",
                          Both{std::string(row->action), std::string(row->action_chinese)}};
    add({kXidAction, {code, gpu, meaning, action}}, note.at);
  }

  const HostSpec* host_;
  std::string_view topic_;
  std::vector<BesideNote> notes_;
};

}  // namespace

std::vector<BesideNote> beside_notes(const Beside& beside, const HostSpec* host) {
  Notes notes(host);
  if (beside.nccl.any()) notes.nccl(beside.nccl);
  if (!beside.collectives.empty()) notes.collectives(beside.collectives, beside.nccl);
  if (!beside.kernel.empty()) notes.kernel(beside.kernel);
  if (!beside.stacks.processes.empty()) notes.stacks(waits_of(beside.stacks));
  return notes.take();
}

}  // namespace sx
