// SX2112. The long explanation and the scenes are in pp_partition_mismatch.md.
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "check/split_reasons.h"
#include "engines/engine.h"
#include "knowledge/traits.h"
#include "read/settings.h"

namespace sx::rules {
namespace {

constexpr std::string_view kVariable = "VLLM_PP_LAYER_PARTITION";

constexpr Text kCountTitle{"entries in the layer partition: {given}; pipeline stages: {stages}",
                           "层划分的项数：{given}；流水级数：{stages}"};
constexpr Text kSumTitle{"the layer partition adds up to {given} layers, the model has {layers}",
                         "层划分合计 {given} 层，模型却有 {layers} 层"};
constexpr Text kTextTitle{"the layer partition is no list of whole numbers: {value}",
                          "层划分不是整数列表：{value}"};
constexpr Text kCount{"entries: {given}", "项数：{given}"};
constexpr Text kStages{"stages: {stages}", "流水级数：{stages}"};
constexpr Text kOneStage{"no {flag}: one stage", "没有 {flag}：只有一个流水级"};
constexpr Text kSum{"adds up to {given}", "合计 {given}"};
constexpr Text kLayers{"{layers} layers: {origin}", "{layers} 层：{origin}"};
constexpr Text kWanted{"wanted: layer counts with commas between, such as {example}",
                       "应为以逗号分隔的层数，例如 {example}"};
constexpr Text kBecause{
    "the variable gives the layers of each stage: one number a stage, all layers in sum",
    "这个变量给出每个流水级的层数：每级一个数，合计等于模型层数"};
constexpr Text kOtherwise{
    "while they build the model, before any weights, the ranks stop with a ValueError",
    "各 rank 在构建模型时（尚未加载权重）以 ValueError 退出"};
constexpr Text kEngineShares{"leave {variable} out; the engine's own shares: {layers}",
                             "去掉 {variable}，由引擎分配：{layers}"};
constexpr Text kEngineAlone{"leave {variable} out: one stage holds every layer",
                            "去掉 {variable}：唯一的流水级放下所有层"};
constexpr Text kTakeStages{"as many stages as the partition has: {given}",
                           "流水级数改成与层划分一致：{given}"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelLayers};
constexpr Need kDoubts[] = {Need::Layout};

const Setting* setting(const Case& c) {
  return last_setting(c.command.environment, own_flag(c.serve, kVariable));
}

std::string engines_own(const Case& c) {
  const Engine* engine = find_engine(c.serve.engine);
  auto layout = layout_of(c.serve);
  if (engine == nullptr || !layout) return {};
  layout->partition.clear();
  return join(engine->stages(c, *layout), ",");
}

void propose(const Case& c, Complaint& complaint) {
  const int stages = c.serve.pipeline_parallel.value();
  const std::string variable = own_flag(c.serve, kVariable);
  const Argument name("variable", variable);
  const Message title = stages == 1 ? Message{kEngineAlone, {name}}
                                    : Message{kEngineShares, {name, {"layers", engines_own(c)}}};
  complaint.proposals.push_back({title, {remove_environment(variable)}});
}

void say_count(Complaint& complaint, const Case& c, const SplitProblem& reason) {
  Diagnostic& d = complaint.diagnostic;
  const int stages = c.serve.pipeline_parallel.value();
  d.title = {kCountTitle, {{"given", reason.size}, {"stages", stages}}};
  mark(d, c.serve.partition, {kCount, {{"given", reason.size}}});
  if (c.serve.pipeline_parallel.asked()) {
    mark(d, c.serve.pipeline_parallel, {kStages, {{"stages", stages}}});
  } else {
    d.basis.push_back({kOneStage, {{"flag", own_flag(c.serve, "--pipeline-parallel-size")}}});
  }
  propose(c, complaint);
  complaint.proposals.push_back(
      {{kTakeStages, {{"given", reason.size}}},
       {set_flag("--pipeline-parallel-size", std::to_string(reason.size))}});
}

void say_sum(Complaint& complaint, const Case& c, const SplitProblem& reason) {
  Diagnostic& d = complaint.diagnostic;
  d.title = {kSumTitle, {{"given", reason.size}, {"layers", reason.parts}}};
  mark(d, c.serve.partition, {kSum, {{"given", reason.size}}});
  also(d, c.model().layers, {},
       {kLayers, {{"layers", reason.parts}, {"origin", model_origin(c.model())}}});
  propose(c, complaint);
}

void say_text(Complaint& complaint, const Case& c, const Setting& given) {
  constexpr std::size_t kShown = 40;  // a title is one line
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTextTitle, {{"value", given.value.substr(0, kShown)}}};
  mark(d, given.span, {kWanted, {{"example", engines_own(c)}}});
  propose(c, complaint);
}

std::vector<Complaint> check(const Case& c) {
  const Setting* given = setting(c);
  if (given == nullptr || !given->complete || given->value.empty()) return {};
  const bool looked_at =
      c.serve.pipeline_parallel.value() > 1 ||
      trait(c.serve.engine, "partition-with-one-stage", c.serve.version) != "ignored";
  if (!looked_at) return {};
  const auto reasons = split_reasons(c, {SplitKind::Partition});
  const bool no_numbers = !c.serve.partition.known();
  if (reasons.empty() && !no_numbers) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  if (no_numbers) {
    say_text(complaint, c, *given);
  } else if (reasons.front().tensor == "entries") {
    say_count(complaint, c, reasons.front());
  } else {
    say_sum(complaint, c, reasons.front());
  }
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = kVariable;
  return {complaint};
}

}  // namespace

extern const Rule pp_partition_mismatch{
    .code = "SX2112",
    .name = "pp-partition-mismatch",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = {},
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
