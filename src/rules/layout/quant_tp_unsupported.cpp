// SX2120. The long explanation and the scenes are in quant_tp_unsupported.md.
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "check/split_reasons.h"
#include "knowledge/traits.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{
    "ready-made bitsandbytes weights cannot be split over {tp} GPUs in vLLM {version}",
    "vLLM {version} 不能把预先量化的 bitsandbytes 权重切到 {tp} 张 GPU"};
constexpr Text kLabel{"splits each matrix", "会切开每个矩阵"};
constexpr Text kBasis{"quantised with bitsandbytes: {origin}", "bitsandbytes 量化：{origin}"};
constexpr Text kBecause{
    "the scales are stored for whole matrices, and the loader of this version does not cut them",
    "缩放系数按完整矩阵存储，这个版本的加载器不会切分它们"};
constexpr Text kOtherwise{
    "as loading begins, the ranks stop: \"Prequant BitsAndBytes models with tensor parallelism\"",
    "开始加载时各 rank 退出：“Prequant BitsAndBytes models with tensor parallelism”"};
constexpr Text kStages{"stages in place of tensor parallelism: {stages}",
                       "用流水级代替张量并行：{stages} 级"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelQuantisation};
constexpr Need kDoubts[] = {Need::Layout};

std::vector<Complaint> check(const Case& c) {
  const int tp = c.serve.tensor_parallel.value();
  if (tp < 2 || c.model().quantisation.value().method != "bitsandbytes") return {};
  const auto split = trait(c.serve.engine, "ready-made-bitsandbytes-split", c.serve.version);
  if (split != "refused") return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"tp", tp}, {"version", c.serve.version.text()}}};
  mark(d, c.serve.tensor_parallel, {kLabel});
  d.basis.push_back({kBasis, {{"origin", model_origin(c.model())}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--tensor-parallel-size";
  const int stages = tp * c.serve.pipeline_parallel.value();
  complaint.proposals.push_back({{kStages, {{"stages", stages}}},
                                 {remove_flag("--tensor-parallel-size"),
                                  set_flag("--pipeline-parallel-size", std::to_string(stages))}});
  propose_layouts(c, complaint);
  return {complaint};
}

}  // namespace

extern const Rule quant_tp_unsupported{
    .code = "SX2120",
    .name = "quant-tp-unsupported",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = {},
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
