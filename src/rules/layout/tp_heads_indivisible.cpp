// SX2103. The long explanation and the scenes are in tp_heads_indivisible.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/layout/split_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{heads} attention heads cannot be split over {tp} GPUs",
                      "{heads} 个注意力头无法平均分到 {tp} 张 GPU"};
constexpr Text kLeaves{"{heads} / {tp} leaves {left} over", "{heads} / {tp} 余 {left}"};
constexpr Text kBothLeave{
    "{heads} / {tp} leaves {left} over; so do the KV heads: {kv} / {tp} leaves {kv_left}",
    "{heads} / {tp} 余 {left}；KV 头也一样：{kv} / {tp} 余 {kv_left}"};
constexpr Text kBasis{"{heads} heads: {origin}", "{heads} 个注意力头：{origin}"};
constexpr Text kBothBasis{"{heads} heads, {kv} KV heads: {origin}",
                          "{heads} 个注意力头，{kv} 个 KV 头：{origin}"};
constexpr Text kBecause{"each tensor-parallel rank must get the same whole number of heads",
                        "每个张量并行 rank 必须分到同样多的、整数个注意力头"};
constexpr Text kOtherwise{"the engine exits during start-up, before it loads any weights",
                          "引擎会在启动阶段退出，此时尚未加载权重"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelHeads};
constexpr Need kDoubts[] = {Need::Layout};
constexpr auto kCovers = less_fundamental_than("SX2103");  // KV heads: said here as well

// The KV heads leave a rest too; latent attention has none to split.
bool kv_heads_left(const ModelSpec& model, int tp) {
  if (!model.kv_heads.known() || model.is_mla()) return false;
  const int kv = model.kv_heads.value();
  return kv > 0 && kv % tp != 0 && tp % kv != 0;
}

std::vector<Complaint> check(const Case& c) {
  const ModelSpec& model = c.model();
  const auto reasons = split_reasons(c, {SplitKind::Heads});
  if (reasons.empty()) return {};
  // Ranks that split attention: fewer than those of the tensor group where some split requests.
  const auto tp = static_cast<int>(reasons.front().parts);
  const auto heads = static_cast<int>(reasons.front().size);
  const auto left = static_cast<int>(reasons.front().left);

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"heads", heads}, {"tp", tp}}};
  const bool both = kv_heads_left(model, tp);
  const int kv = model.kv_heads.value_or(1);
  if (both) {
    mark(d, c.serve.tensor_parallel,
         {kBothLeave,
          {{"heads", heads}, {"tp", tp}, {"left", left}, {"kv", kv}, {"kv_left", kv % tp}}});
  } else {
    mark(d, c.serve.tensor_parallel, {kLeaves, {{"heads", heads}, {"tp", tp}, {"left", left}}});
  }
  const Argument origin("origin", model_origin(model));
  if (both) {
    also(d, model.heads, {}, {kBothBasis, {{"heads", heads}, {"kv", kv}, origin}});
  } else {
    also(d, model.heads, {}, {kBasis, {{"heads", heads}, origin}});
  }
  if (both && model.kv_heads.span()) also(d, model.kv_heads, {}, {});
  say_what_else(d, c, {SplitKind::Heads, SplitKind::KvHeads});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--tensor-parallel-size";
  propose_layouts(c, complaint);
  return {complaint};
}

}  // namespace

extern const Rule tp_heads_indivisible{
    .code = "SX2103",
    .name = "tp-heads-indivisible",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = kCovers,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
