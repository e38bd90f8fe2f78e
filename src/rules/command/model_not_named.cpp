// SX1108. The long explanation and the scenes are in model_not_named.md.
#include <algorithm>
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/command/flag_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"the command names no model, so the engine takes its default, {model}",
                      "命令没有指定模型，引擎会用默认的 {model}"};
constexpr Text kLabel{"no model behind it", "后面没有模型"};
constexpr Text kBecause{
    "a launch without a model is not refused; the engine has one for trying it out",
    "不写模型也不会报错：引擎自带一个试用的默认模型"};
constexpr Text kOtherwise{"it downloads and serves {model}, and answers under that name",
                          "它会下载并运行 {model}，并以这个名字提供服务"};
constexpr Text kNameIt{"name the model: vllm serve MODEL", "写明模型：vllm serve 模型"};

constexpr Need kNeeds[] = {Need::Flags};

std::vector<Complaint> check(const Case& c) {
  const auto& model = c.serve.model;
  if (!model.known() || model.origin() != Origin::Default || list_with_model(c) != nullptr)
    return {};
  // The file that is passed over may name it.
  const bool file_passed_over =
      std::ranges::any_of(c.serve.problems, [](const FlagProblem& problem) {
        return problem.kind == FlagProblem::Kind::ConfigIgnored ||
               problem.kind == FlagProblem::Kind::ConfigUnreadable;
      });
  if (file_passed_over) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument name("model", model.value());
  d.title = {kTitle, {name}};
  const auto serve = std::ranges::find(c.command.words, "serve", &Word::text);
  if (serve != c.command.words.end()) mark(d, serve->span, kLabel);
  d.because = kBecause;
  d.otherwise = {kOtherwise, {name}};
  d.subject = "model";
  d.no_fix = kNameIt;
  return {complaint};
}

}  // namespace

extern const Rule model_not_named{
    .code = "SX1108",
    .name = "model-not-named",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
