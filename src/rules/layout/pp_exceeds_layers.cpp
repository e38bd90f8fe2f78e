// SX2111. The long explanation and the scenes are in pp_exceeds_layers.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "check/split_reasons.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{stages} pipeline stages are more than the {layers} layers",
                      "{stages} 个流水级多于 {layers} 层"};
constexpr Text kLabel{"{layers} layers for {stages} stages", "{layers} 层分给 {stages} 级"};
constexpr Text kBasis{"{layers} layers: {origin}", "{layers} 层：{origin}"};
constexpr Text kBecause{"a stage holds whole layers, at least one", "一个流水级至少要有完整的一层"};
constexpr Text kOtherwise{
    "stages without a layer hold a GPU for nothing, if the engine comes up at all",
    "没有层的流水级白占一张 GPU，引擎也未必能启动"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelLayers};
constexpr Need kDoubts[] = {Need::Layout};

std::vector<Complaint> check(const Case& c) {
  const auto reasons = split_reasons(c, {SplitKind::Layers});
  if (reasons.empty()) return {};
  const SplitProblem& reason = reasons.front();
  const std::vector<Argument> numbers{{"layers", reason.size}, {"stages", reason.parts}};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, numbers};
  mark(d, c.serve.pipeline_parallel, {kLabel, numbers});
  also(d, c.model().layers, {},
       {kBasis, {{"layers", reason.size}, {"origin", model_origin(c.model())}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--pipeline-parallel-size";
  propose_layouts(c, complaint);
  return {complaint};
}

}  // namespace

extern const Rule pp_exceeds_layers{
    .code = "SX2111",
    .name = "pp-exceeds-layers",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = {},
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
