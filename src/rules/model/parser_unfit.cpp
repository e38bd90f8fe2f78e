// SX4132. The long explanation and the scenes are in parser_unfit.md.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/parsers.h"

namespace sx::rules {
namespace {

constexpr Text kTools{"{parser} reads another format of tool calls than {model} writes",
                      "{parser} 解析的工具调用格式与 {model} 输出的不同"};
constexpr Text kThinking{"{parser} reads another format of thinking than {model} writes",
                         "{parser} 解析的思考内容格式与 {model} 输出的不同"};
constexpr Text kLabel{"for models that write {format}", "用于输出 {format} 格式的模型"};
constexpr Text kBecause{
    "a parser looks for the marks of one family of models in the text; it finds none of another's",
    "解析器在文本里查找某一系列模型的标记；其他系列的标记它认不出来"};
constexpr Text kCallsStay{
    "it starts; calls stay in `content` as plain text and `tool_calls` stays empty",
    "可以启动；但调用会作为普通文本留在 `content` 里，`tool_calls` 始终为空"};
constexpr Text kThinkingStays{
    "it starts; thinking and answer are told apart wrongly: one of the two fields holds both",
    "可以启动；但思考与回答分不开：两者会落在同一个字段里"};
constexpr Text kUse{"use {parser}, which reads what this model writes",
                    "改用 {parser}，它解析的正是这个模型的格式"};
constexpr Text kLater{
    "this version has no parser for {format}; a newer one, or none at all, is what helps",
    "这个版本没有 {format} 格式的解析器；需要更新的版本，或者不用解析器"};

struct Kind {
  std::string_view flag, plugin;
  Text title, otherwise;
};
constexpr std::array<Kind, 2> kKinds{
    {{"--tool-call-parser", "--tool-parser-plugin", kTools, kCallsStay},
     {"--reasoning-parser", "--reasoning-parser-plugin", kThinking, kThinkingStays}}};

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  for (const Kind& kind : kKinds) {
    const FlagUse* use = c.serve.use_of(kind.flag);
    if (use == nullptr || !use->complete || use->values.size() != 1 || !c.serve.model.known())
      continue;
    if (c.serve.use_of(kind.plugin) != nullptr) continue;
    const std::string& model = c.serve.model.value();
    const std::string& parser = use->values.front();
    const auto formats = output_formats(kind.flag, model);
    const auto read = format_of_parser(c.serve.engine, kind.flag, parser);
    if (formats.empty() || read.empty() || std::ranges::find(formats, read) != formats.end())
      continue;
    Complaint& complaint = complaints.emplace_back();
    Diagnostic& d = complaint.diagnostic;
    d.title = {kind.title, {{"parser", parser}, {"model", model.substr(model.rfind('/') + 1)}}};
    mark(d, use->span, {kLabel, {{"format", read}}});
    also(d, c.serve.model, {}, {});
    std::erase_if(d.basis, [](const Message& basis) { return basis.empty(); });
    d.because = kBecause;
    d.otherwise = kind.otherwise;
    d.subject = kind.flag;
    for (const std::string_view format : formats) {
      for (const auto fit : parsers_of_format(c.serve.engine, kind.flag, format, c.serve.version)) {
        complaint.proposals.push_back(
            {{kUse, {{"parser", fit}}}, {set_flag(std::string(kind.flag), std::string(fit))}});
        break;  // the usual one of the format
      }
    }
    if (complaint.proposals.empty()) d.no_fix = {kLater, {{"format", formats.front()}}};
  }
  return complaints;
}

}  // namespace

extern const Rule parser_unfit{
    .code = "SX4132",
    .name = "parser-unfit",
    .severity = Severity::Warning,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
