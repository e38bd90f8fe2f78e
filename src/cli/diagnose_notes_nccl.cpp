// What NCCL tells of its groups: who has joined, over what each pair talks, what it picked up.
#include <algorithm>

#include "cli/diagnose_notes.h"
#include "cli/rank_gpus.h"
#include "knowledge/nccl_reasons.h"
#include "logs/nccl_verdict.h"

namespace sx {
namespace {

constexpr std::size_t kMostGroupsSaid = 4;
constexpr std::size_t kMostPairsSaid = 6;

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

// Cards that NVLink joins and that do not use it.
void slow_pair(NoteList& notes, const NcclVerdict& verdict, const HostSpec* host) {
  for (const NcclWay& way : verdict.ways) {
    if (way.how.starts_with("P2P")) continue;
    for (const auto& [a, b] : way.pairs) {
      const std::string link = link_between(host, *verdict.group, a, b);
      if (!link.starts_with("NV")) continue;
      notes.add({kSlowWay, {{"a", a}, {"b", b}, {"link", link}, {"how", way.how}}});
      return;
    }
  }
}

void add_group(NoteList& notes, const NcclVerdict& verdict, const HostSpec* host) {
  const NcclGroup& group = *verdict.group;
  const std::vector<Argument> arguments{{"size", group.size},
                                        {"joined", verdict.joined},
                                        {"unfinished", rank_list(verdict.unfinished)},
                                        {"absent", rank_list(verdict.absent)}};
  const auto with = [&](const Text& text) { return Message{text, arguments}; };
  if (verdict.whole()) {
    notes.add(with(kAllJoined));
  } else if (verdict.unfinished.empty()) {
    notes.add(with(kOnlyAbsent));
  } else {
    notes.add(with(verdict.absent.empty() ? kUnfinished : kAbsent), group.ranks.front().began);
  }
  for (const NcclWay& way : verdict.ways) {
    std::string pairs;
    for (std::size_t i = 0; i < way.pairs.size() && i < kMostPairsSaid; ++i) {
      pairs += (i == 0 ? "" : ", ") + std::to_string(way.pairs[i].first) + "-" +
               std::to_string(way.pairs[i].second);
      const std::string link = link_between(host, group, way.pairs[i].first, way.pairs[i].second);
      if (!link.empty()) pairs += " " + link;
    }
    if (way.pairs.size() > kMostPairsSaid) pairs += ", …";
    notes.add({kWay, {{"how", way.how}, {"count", way.pairs.size()}, {"pairs", pairs}}});
  }
  slow_pair(notes, verdict, host);
  for (const int rank : verdict.unfinished) {
    const NcclRank* const one = group.find(rank);
    const Gpu* const gpu = one == nullptr ? nullptr : gpu_at(host, one->bus);
    if (gpu != nullptr && verdict.unfinished.size() <= kMostPairsSaid)
      notes.add({kOnGpu, {{"rank", rank}, {"gpu", gpu->index}, {"bus", one->bus}}}, one->began);
  }
}

}  // namespace

void add_nccl_notes(NoteList& notes, const NcclLog& log, const HostSpec* host) {
  notes.begin("nccl");
  if (!log.version.empty() || !log.network.empty()) {
    const std::string version = log.version.empty() ? "?" : log.version;
    notes.add(log.network.empty()
                  ? Message{kVersion, {{"version", version}}}
                  : Message{kVersionOver, {{"version", version}, {"network", log.network}}});
  }
  std::size_t said = 0;
  for (const NcclVerdict& verdict : verdicts_of(log)) {
    if (++said > kMostGroupsSaid) break;
    add_group(notes, verdict, host);
  }
  std::string settings;
  for (const auto& [name, value] : log.settings)
    settings.append(settings.empty() ? "" : ", ").append(name).append("=").append(value);
  if (!settings.empty()) notes.add({kPicked, {{"list", settings}}});
  for (const NcclReasonRow& row : nccl_reasons()) {
    const auto line = std::ranges::find_if(
        log.reasons, [&](const NcclWords& words) { return words.text.contains(row.text); });
    if (line != log.reasons.end()) notes.add({kReason, {{"means", both_of(row.means)}}}, line->at);
  }
  if (!log.failed_at.text.empty())
    notes.add({kFailedAt, {{"words", log.failed_at.text}}}, log.failed_at.at);
}

}  // namespace sx
