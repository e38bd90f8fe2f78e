// Sentences about cards, links and limits behind a figure.
#include "fit/speed_notes.h"

#include <algorithm>

namespace sx {
namespace {

constexpr Text kMeasured{"kernels were measured on {card}", "算子常数实测于 {card}"};
constexpr Text kRelated{
    "{card} was not measured: laws of a card of its generation, scaled by data-sheet peaks",
    "{card} 没有实测数据：用同代卡的规律，按规格书峰值换算"};
constexpr Text kSheet{
    "nothing was measured on cards like {card}: bounds from data-sheet peaks only",
    "没有 {card} 这类卡的实测数据：只按规格书峰值给出上下界"};
constexpr Text kEngine{"{engine} was not measured: bounds only",
                       "{engine} 没有实测数据：只给出上下界"};
constexpr Text kSeen{"links of the tensor group: {links}, its weakest pair",
                     "张量并行组的互连：按最弱的一对 {links} 计算"};
constexpr Text kNvlinkAssumed{"links are not known: NVLink between all GPUs taken for granted",
                              "互连未知：按所有 GPU 之间都有 NVLink 计算"};
constexpr Text kPcieAssumed{
    "links are not known: PCIe through the host bridge taken for granted; a PCIe switch is faster",
    "互连未知：按经主机桥的 PCIe 计算；若有 PCIe 交换芯片会更快"};
constexpr Text kNcclOnly{
    "the engine's own all-reduce needs NVLink between all GPUs, or two with "
    "peer access: NCCL is used",
    "引擎自带的 all-reduce 要求全部 GPU 之间有 NVLink，或两张可 P2P 直连的卡：这里走 NCCL"};
constexpr Text kNoUnits{
    "{card} has no units for {format}: weights are read in it, arithmetic runs in 16 bit",
    "{card} 没有 {format} 计算单元：权重按 {format} 读取，计算用 16 位"};
constexpr Text kGroups{
    "{groups} groups of requests share attention out and step together: put together from measured "
    "parts, compared with few services",
    "{groups} "
    "组请求各自计算注意力、同步执行每一步：由各部分的实测规律合成，只与少量实际服务对照过"};
constexpr Text kTextOnly{"pictures are not counted: text alone", "只按文本估算，不含图像"};
constexpr Text kPlaces{"{running} of {users} requests run at a time, the others wait for a place",
                       "同时运行 {running} 个请求（共 {users} 个），其余排队等待"};

Message of_card(const CardSpeed& card) {
  const Argument name{"card", card.kind->name};
  if (card.card.basis == "measured") return {kMeasured, {name}};
  if (card.card.basis == "related") return {kRelated, {name}};
  return {kSheet, {name}};
}

// A format that the card cannot compute in.
void of_units(std::vector<Message>& notes, const CardSpeed& card, const WeightFormats& formats) {
  for (const WeightFormat* format : {&formats.dense, &formats.expert}) {
    const std::string_view arithmetic = format->law->arithmetic;
    const bool fp8 = arithmetic == "fp8" && card.fp8_law == nullptr;
    const bool fp4 = arithmetic == "fp4" && card.fp4_law == nullptr;
    if (!fp8 && !fp4) continue;
    notes.push_back({kNoUnits, {{"card", card.kind->name}, {"format", fp8 ? "FP8" : "FP4"}}});
    return;
  }
}

// Of one stage's links; `told` are classes that were spoken of already.
void of_links(std::vector<Message>& notes, const SpeedStage& stage,
              std::vector<std::string_view>& told) {
  const GroupLinks& links = stage.links;
  if (links.ranks < 2) return;
  const std::string_view name = links.seen.empty() ? links.link : links.seen;
  if (std::ranges::find(told, name) != told.end()) return;
  told.push_back(name);
  if (!links.seen.empty()) {
    notes.push_back({kSeen, {{"links", links.seen}}});
  } else {
    notes.push_back(links.link == stage.card.card.nvlink ? kNvlinkAssumed : kPcieAssumed);
  }
  if (!links.own) notes.push_back(kNcclOnly);
}

}  // namespace

std::vector<Message> speed_notes(const SpeedAsk& ask, const ModelSplit& split,
                                 const std::vector<Replica>& replicas, const EngineSpeed& engine,
                                 const Speed& speed) {
  std::vector<Message> notes;
  std::vector<const GpuKind*> kinds;
  std::vector<std::string_view> links;
  for (const Replica& replica : replicas) {
    for (const SpeedStage& stage : replica.stages) {
      if (std::ranges::find(kinds, stage.card.kind) == kinds.end()) {
        kinds.push_back(stage.card.kind);
        notes.push_back(of_card(stage.card));
        of_units(notes, stage.card, split.formats);
      }
      of_links(notes, stage, links);
    }
  }
  if (split.sizes.gathered > 1) notes.push_back({kGroups, {{"groups", split.sizes.gathered}}});
  if (ask.model->vision.layers.value_or(0) > 0) notes.push_back(kTextOnly);
  if (!engine.measured) notes.push_back({kEngine, {{"engine", ask.engine}}});
  if (speed.running < ask.load.users)
    notes.push_back({kPlaces, {{"running", speed.running}, {"users", ask.load.users}}});
  return notes;
}

}  // namespace sx
