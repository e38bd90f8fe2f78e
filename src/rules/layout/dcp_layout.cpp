// SX2118. The long explanation and the scenes are in dcp_layout.md.
#include <optional>
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/traits.h"

namespace sx::rules {
namespace {

constexpr Text kDivideTitle{"{dcp} decode-context ranks do not divide {tp} tensor-parallel ranks",
                            "{dcp} 个解码上下文 rank 无法整除 {tp} 个张量并行 rank"};
constexpr Text kNoCopiesTitle{"no decode-context ranks here: {tp} GPUs hold no KV head twice",
                              "这里不能用解码上下文并行：{tp} 张 GPU 上没有重复的 KV 头"};
constexpr Text kTooManyTitle{"{dcp} decode-context ranks, but each KV head has {copies} copies",
                             "解码上下文 rank 有 {dcp} 个，每个 KV 头却只有 {copies} 份副本"};
constexpr Text kQueryTitle{
    "{dcp} decode-context ranks do not divide {queries} query heads a KV head",
    "{dcp} 个解码上下文 rank 无法整除每个 KV 头对应的 {queries} 个查询头"};
constexpr Text kLeaves{"{whole} / {dcp} leaves {left} over", "{whole} / {dcp} 余 {left}"};
constexpr Text kCopies{"{tp} ranks over {kv} KV heads: {copies} of each",
                       "{tp} 个 rank、{kv} 个 KV 头：每个头 {copies} 份"};
constexpr Text kBasis{"{heads} heads, {kv} KV heads: {origin}",
                      "{heads} 个注意力头，{kv} 个 KV 头：{origin}"};
constexpr Text kGroupBecause{
    "decode-context ranks are groups of equal size inside the tensor ranks",
    "解码上下文 rank 是在张量并行 rank 内部划分的等大小的组"};
constexpr Text kCopyBecause{
    "ranks that hold copies of one KV head share out its context; without copies there is nothing "
    "to share",
    "只有存着同一个 KV 头副本的 rank 才能分摊上下文；没有副本就无从分摊"};
constexpr Text kOtherwise{"it exits while the configuration is checked, within seconds",
                          "几秒内在检查配置时退出"};
constexpr Text kLess{"share each context out over {dcp} ranks", "每个上下文由 {dcp} 个 rank 分摊"};
constexpr Text kLeaveOut{"leave it out: each rank keeps the whole context of its KV heads",
                         "去掉它：每个 rank 保存自己 KV 头的全部上下文"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelKvHeads, Need::ModelHeads};
constexpr Need kDoubts[] = {Need::Layout};

struct Sizes {
  int tensor = 1;
  int context = 1;  // decode-context ranks
  int heads = 1;
  int kv_heads = 1;
  bool latent = false;  // MLA: one latent, a copy on every rank

  int copies() const { return kv_heads > 0 ? tensor / kv_heads : 0; }
  int queries() const { return kv_heads > 0 ? heads / kv_heads : 0; }
};

enum class Trouble { Group, NoCopies, TooMany, Queries };

bool required(const Case& c, std::string_view name) {
  return trait(c.serve.engine, name, c.serve.version) == "required";
}

std::optional<Trouble> trouble(const Case& c, const Sizes& s) {
  const bool alone = c.serve.prefill_context_parallel.value_or(1) == 1;
  if (alone && s.tensor % s.context != 0 && required(c, "context-ranks-divide-tensor")) {
    return Trouble::Group;
  }
  if (s.latent || s.kv_heads < 1) return {};
  if (s.tensor <= s.kv_heads) {
    if (required(c, "context-ranks-are-copies")) return Trouble::NoCopies;
    return {};
  }
  if (!required(c, "context-ranks-at-most-copies")) return {};
  if (s.context > s.copies()) return Trouble::TooMany;
  if (s.queries() % s.context != 0) return Trouble::Queries;
  return {};
}

Message label(Trouble kind, const Sizes& s) {
  const int whole = kind == Trouble::Queries ? s.queries() : s.tensor;
  if (kind == Trouble::Group || kind == Trouble::Queries) {
    return {kLeaves, {{"whole", whole}, {"dcp", s.context}, {"left", whole % s.context}}};
  }
  const int copies = kind == Trouble::NoCopies ? 1 : s.copies();
  return {kCopies, {{"tp", s.tensor}, {"kv", s.kv_heads}, {"copies", copies}}};
}

Message title(Trouble kind, const Sizes& s) {
  const Argument dcp("dcp", s.context);
  switch (kind) {
    case Trouble::Group:
      return {kDivideTitle, {dcp, {"tp", s.tensor}}};
    case Trouble::NoCopies:
      return {kNoCopiesTitle, {{"tp", s.tensor}}};
    case Trouble::TooMany:
      return {kTooManyTitle, {dcp, {"copies", s.copies()}}};
    case Trouble::Queries:
      return {kQueryTitle, {dcp, {"queries", s.queries()}}};
  }
  SX_UNREACHABLE("a trouble without a title");
}

// The largest smaller size that nothing speaks against, and none at all.
void propose(const Case& c, Complaint& complaint, Sizes s) {
  while (--s.context > 1) {
    if (trouble(c, s)) continue;
    complaint.proposals.push_back(
        {{kLess, {{"dcp", s.context}}},
         {set_flag("--decode-context-parallel-size", std::to_string(s.context))}});
    break;
  }
  complaint.proposals.push_back({kLeaveOut, {remove_flag("--decode-context-parallel-size")}});
}

std::vector<Complaint> check(const Case& c) {
  const Fact<int>& size = c.serve.decode_context_parallel;
  const ModelSpec& model = c.model();
  if (!size.asked() || size.value() < 2) return {};
  const Sizes s{.tensor = c.serve.tensor_parallel.value(),
                .context = size.value(),
                .heads = model.heads.value(),
                .kv_heads = model.kv_heads.value(),
                .latent = model.is_mla()};
  const auto kind = trouble(c, s);
  if (!kind) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = title(*kind, s);
  mark(d, size, label(*kind, s));
  if (*kind != Trouble::Group) {
    also(d, model.kv_heads, {},
         {kBasis, {{"heads", s.heads}, {"kv", s.kv_heads}, {"origin", model_origin(model)}}});
  }
  d.because = *kind == Trouble::Group ? kGroupBecause : kCopyBecause;
  d.otherwise = kOtherwise;
  d.subject = "--decode-context-parallel-size";
  propose(c, complaint, s);
  return {complaint};
}

}  // namespace

extern const Rule dcp_layout{
    .code = "SX2118",
    .name = "dcp-layout",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = {},
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
