// SX2113. The long explanation and the scenes are in pp_unsupported_model.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "check/split_reasons.h"
#include "engines/engine.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{class} cannot be cut into pipeline stages in {engine}",
                      "{engine} 的 {class} 不支持流水线并行"};
constexpr Text kLabel{"{stages} stages asked for", "要求 {stages} 个流水级"};
constexpr Text kBasis{"class {class}: {origin}", "模型类 {class}：{origin}"};
constexpr Text kBecause{"only classes with the SupportsPP interface can hold a part of the layers",
                        "只有实现了 SupportsPP 接口的模型类才能只放一部分层"};
constexpr Text kOtherwise{
    "it exits at start-up, before any weights: \"Pipeline parallelism is not supported for this "
    "model\"",
    "启动时（尚未加载权重）就会退出：“Pipeline parallelism is not supported for this model”"};

constexpr OfEngine kBecauseOf[] = {
    {"sglang",
     {"only classes that were written for stages can hold a part of the layers",
      "只有按流水级编写的模型类才能只放一部分层"}}};
constexpr OfEngine kOtherwiseOf[] = {
    {"sglang",
     {"the ranks stop while they build the model: \"Pipeline Parallel is not compatible with this "
      "model\"",
      "各 rank 在构建模型时退出：“Pipeline Parallel is not compatible with this model”"}}};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelArchitecture};
constexpr Need kDoubts[] = {Need::Layout};

std::vector<Complaint> check(const Case& c) {
  const Engine* engine = find_engine(c.serve.engine);
  const int stages = c.serve.pipeline_parallel.value();
  if (engine == nullptr || stages < 2 || engine->pipeline_supported(c).value_or(true)) return {};
  const Argument model_class("class", c.model().architecture.value());

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {model_class, {"engine", engine_and_version(c.serve)}}};
  mark(d, c.serve.pipeline_parallel, {kLabel, {{"stages", stages}}});
  also(d, c.model().architecture, {}, {kBasis, {model_class, {"origin", model_origin(c.model())}}});
  d.because = of_engine(c.serve, kBecauseOf, kBecause);
  d.otherwise = of_engine(c.serve, kOtherwiseOf, kOtherwise);
  d.subject = "--pipeline-parallel-size";
  propose_layouts(c, complaint);
  return {complaint};
}

}  // namespace

extern const Rule pp_unsupported_model{
    .code = "SX2113",
    .name = "pp-unsupported-model",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = {},
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
