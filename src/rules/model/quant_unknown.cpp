// SX4113. The long explanation and the scenes are in quant_unknown.md.
#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "check/layouts.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/quantisation.h"
#include "knowledge/traits.h"
#include "rules/model/number_format.h"
#include "rules/model/surroundings.h"

namespace sx::rules {
namespace {

constexpr Text kUnknown{"{engine} has no quantisation method {method}",
                        "{engine} 没有量化方法 {method}"};
constexpr Text kNotYet{"{engine} does not have the quantisation method {method} yet",
                       "{engine} 还没有量化方法 {method}"};
constexpr Text kGone{"{engine} no longer has the quantisation method {method}",
                     "{engine} 已移除量化方法 {method}"};
constexpr Text kDeprecated{"the quantisation method {method} is deprecated and refused by {engine}",
                           "量化方法 {method} 已弃用，{engine} 会拒绝"};
constexpr Text kOnline{"{engine} quantises no weights under the name {method}",
                       "{engine} 不再用 {method} 这个名字做在线量化"};

constexpr Text kFirst{"first read in {first}", "在 {first} 中首次读到"};
constexpr Text kLast{"last read in {last}", "最后一次读到是在 {last}"};
constexpr Text kOfCheckpoint{"a checkpoint of this method", "检查点采用这种方法"};
constexpr Text kBasis{"{method}: {origin}", "{method}：{origin}"};
constexpr Text kMethods{"methods of this version: {methods}", "该版本的方法：{methods}"};

constexpr Text kBecause{"each method needs a loader and kernels of its own",
                        "每种方法都需要自己的加载代码和内核"};
constexpr Text kNameChanged{
    "since 0.31 the name fp8 stands for checkpoints that are in FP8 already",
    "从 0.31 起，fp8 只表示已经是 FP8 的检查点"};
constexpr Text kOtherwise{"the engine exits in the first seconds and names the methods it has",
                          "引擎在几秒内退出，并列出它支持的方法"};
constexpr Text kRefused{
    "the engine exits in the first seconds: \"is deprecated and will be removed in future versions "
    "of vLLM\"",
    "引擎在几秒内退出：“is deprecated and will be removed in future versions of vLLM”"};
constexpr Text kNoOnline{
    "the engine exits in the first minute: \"no longer supports online quantization\"",
    "引擎在第一分钟内退出：“no longer supports online quantization”"};

constexpr Text kLeaveOut{"leave it out: the engine takes what the checkpoint says",
                         "去掉它：引擎会按检查点加载"};
constexpr Text kSibling{
    "the same model, quantised beforehand: {id} ({layout}; {tokens} tokens of KV cache)",
    "同一模型的已量化版本：{id}（{layout}；KV 缓存可容 {tokens} 个 token）"};
constexpr Text kSixteen{"leave it out: the weights stay in 16 bit", "去掉它：权重保持 16 位"};
constexpr Text kPermit{"permit the deprecated method; a later version will not have it",
                       "允许已弃用的方法；更新的版本将不再提供"};
constexpr Text kNewName{"use {method}, its name in this version",
                        "改用 {method}，这是该版本里的名字"};
constexpr Text kOlder{"{engine} {last} is the newest version read that has it",
                      "读过的版本中，{last} 是最后一个支持它的 {engine}"};
constexpr Text kNewer{"{engine} {first} is the first version read that has it",
                      "读过的版本中，{first} 是第一个支持它的 {engine}"};
constexpr Text kOtherFormat{"the model in a format that this version has",
                            "换成该版本支持的格式的模型"};

constexpr Need kNeeds[] = {Need::ModelQuantisation};

struct Asked {
  std::string method;
  bool by_flag = false;
};

// The method that the launch needs: of the flag, else of the checkpoint.
std::optional<Asked> asked_method(const Case& c) {
  const ServeSpec& serve = c.serve;
  if (serve.quantization.asked()) {
    const std::string flag = lower(serve.quantization.value());
    if (!flag.empty() && flag != "none") return Asked{.method = flag, .by_flag = true};
  }
  if (overridden(serve, "quantization_config")) return {};
  if (c.model().is_quantised())
    return Asked{.method = engine_method(serve, c.model().quantisation.value())};
  if (c.model().weight_format.value_or("") == "gguf") return Asked{.method = "gguf"};
  return {};
}

// Who names a method on weights in 16 bit wants fewer bits: a sibling has them.
void propose_without_flag(const Case& c, Complaint& complaint) {
  const bool quantised = c.model().is_quantised();
  for (Proposal& sibling : quantised ? std::vector<Proposal>{} : sibling_proposals(c, 1)) {
    sibling.title.text = kSibling;
    sibling.changes.push_back(remove_flag("--quantization"));
    complaint.proposals.push_back(std::move(sibling));
  }
  complaint.proposals.push_back(
      {.title = quantised ? kLeaveOut : kSixteen, .changes = {remove_flag("--quantization")}});
}

Complaint complaint_of(const Case& c, const Asked& asked, const Text& title, Message label) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument method("method", asked.method);
  d.title = {title, {{"engine", engine_and_version(c.serve)}, method}};
  if (asked.by_flag) {
    mark(d, c.serve.quantization, std::move(label));
    propose_without_flag(c, complaint);
  } else {
    mark(d, c.serve.model, kOfCheckpoint);
    also(d, c.model().quantisation, {}, {kBasis, {method, {"origin", model_origin(c.model())}}});
    if (!label.empty()) d.basis.push_back(std::move(label));
  }
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = asked.by_flag ? "--quantization" : "model";
  d.no_fix = kOtherFormat;
  return complaint;
}

std::string method_list(const ServeSpec& serve) {
  std::vector<std::string> names;
  for (const std::string_view name : quantisation_methods(serve.engine, serve.version))
    names.emplace_back(name);
  return join(names, ", ");
}

Complaint deprecated(const Case& c, const Asked& asked) {
  Complaint complaint = complaint_of(c, asked, kDeprecated, {});
  complaint.diagnostic.otherwise = kRefused;
  complaint.proposals.insert(complaint.proposals.begin(),
                             {.title = kPermit,
                              .changes = {add_switch("--allow-deprecated-quantization")},
                              .safety = Safety::Trades});
  return complaint;
}

// `--quantization fp8` on weights in 16 bit, where the version has another name for it.
std::vector<Complaint> of_online(const Case& c, const Asked& asked) {
  const auto word = trait(c.serve.engine, "online-fp8", c.serve.version);
  const bool plain = !c.model().is_quantised();
  if (!asked.by_flag || asked.method != "fp8" || !plain || !word || *word == "fp8") return {};
  Complaint complaint = complaint_of(c, asked, kOnline, {});
  complaint.diagnostic.because = kNameChanged;
  complaint.diagnostic.otherwise = kNoOnline;
  complaint.proposals.insert(complaint.proposals.begin(),
                             {.title = {kNewName, {{"method", *word}}},
                              .changes = {set_flag("--quantization", std::string(*word))},
                              .safety = Safety::Safe});
  return {complaint};
}

// Where the flag has a list of choices, that its value is none of them is said already.
bool no_choice(const ServeSpec& serve) {
  const std::string flag = own_flag(serve, "--quantization");
  return std::ranges::any_of(serve.problems, [&flag](const FlagProblem& problem) {
    return problem.kind == FlagProblem::Kind::NotAChoice && problem.name == flag;
  });
}

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  const auto asked = asked_method(c);
  const bool methods_known = !quantisation_methods(serve.engine, serve.version).empty();
  if (!asked || !methods_known) return {};
  if (asked->by_flag && no_choice(serve)) return {};
  const auto standing = method_standing(serve.engine, asked->method, serve.version);
  const MethodSpan span = method_span(serve.engine, asked->method);
  if (!standing) {
    Complaint complaint = complaint_of(c, *asked, kUnknown, {});
    // A plug-in may bring a method; for a checkpoint that is likelier than a slip of the pen.
    if (!asked->by_flag) complaint.severity = Severity::Warning;
    complaint.diagnostic.basis.push_back({kMethods, {{"methods", method_list(serve)}}});
    return {complaint};
  }
  switch (*standing) {
    case Standing::NotYet: {
      Complaint complaint =
          complaint_of(c, *asked, kNotYet, {kFirst, {{"first", span.first->text()}}});
      complaint.diagnostic.no_fix = {
          kNewer, {{"engine", engine_name(serve)}, {"first", span.first->text()}}};
      return {complaint};
    }
    case Standing::Removed: {
      Complaint complaint = complaint_of(c, *asked, kGone, {kLast, {{"last", span.last->text()}}});
      complaint.diagnostic.no_fix = {kOlder,
                                     {{"engine", engine_name(serve)}, {"last", span.last->text()}}};
      return {complaint};
    }
    case Standing::Known: {
      const bool refused = quantisation_in(serve.engine, QuantisationKind::Deprecated,
                                           asked->method, serve.version) != nullptr &&
                           serve.use_of("--allow-deprecated-quantization") == nullptr;
      if (refused) return {deprecated(c, *asked)};
      return of_online(c, *asked);
    }
    case Standing::Possible:
    case Standing::NotRead:
      return {};
  }
  return {};
}

}  // namespace

extern const Rule quant_unknown{
    .code = "SX4113",
    .name = "quant-unknown",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
