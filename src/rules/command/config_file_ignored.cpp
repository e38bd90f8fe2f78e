// SX1107. The long explanation and the scenes are in config_file_ignored.md.
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/flags.h"
#include "rules/command/flag_words.h"

namespace sx::rules {
namespace {

constexpr Text kIgnored{"{word} is passed over: the file name has to be a word of its own",
                        "{word} 会被忽略：文件名必须是单独的一个词"};
constexpr Text kNotRead{"the file is not read", "文件不会被读取"};
constexpr Text kBecauseTwoWords{
    "only the two words `--config FILE` are replaced by what stands in the file",
    "只有 `--config 文件` 这两个词会被替换成文件里的内容"};
constexpr Text kWithoutFile{
    "the server starts without a word about it, and without any setting of the file",
    "服务照常启动，不作提示，文件里的设置一项也不生效"};
constexpr Text kTwoWords{"write it as two words: --config {file}", "写成两个词：--config {file}"};

constexpr Text kEnding{"{file} is refused: a file of flags has to end in .yaml or .yml",
                       "{file} 会被拒绝：参数文件必须以 .yaml 或 .yml 结尾"};
constexpr Text kNotThere{"{file} cannot be read here", "这里无法读取 {file}"};
constexpr Text kNoMap{"{file} holds no map of flags and values",
                      "{file} 的内容不是参数与值的对应表"};
constexpr Text kSeveral{"several --config in one command, where one is allowed",
                        "命令里有多个 --config，只允许一个"};
constexpr Text kMissing{"the launch ends with a traceback within seconds: FileNotFoundError",
                        "几秒内抛出异常退出：FileNotFoundError"};
constexpr Text kNoYaml{"{file} is not YAML", "{file} 不是 YAML"};
constexpr Text kWhy{"{why}", "{why}"};
constexpr Text kBecauseFile{
    "the flags of the file are put into the command before anything else is looked at",
    "解析命令之前，要先把文件里的参数展开到命令中"};
constexpr Text kEndsAtOnce{"the launch ends with a traceback within seconds", "几秒内抛出异常退出"};
constexpr Text kWhereMissing{
    "where it is missing as well, the launch ends within seconds: FileNotFoundError",
    "如果运行的机器上也没有，几秒内就会退出：FileNotFoundError"};
constexpr Text kRename{"give it a name that ends in .yaml; JSON is YAML as well",
                       "改成以 .yaml 结尾的名字；JSON 也是合法的 YAML"};
constexpr Text kWhereItLies{"say where it lies, seen from the folder in which the command runs",
                            "写出从运行命令的目录能找到它的路径"};
constexpr Text kOneMap{"one `flag: value` a line", "每行写一个“参数: 值”"};
constexpr Text kKeepFile{"keep {file} alone", "只保留 {file}"};

constexpr Text kNoEffect{"{key}: {value} in {file} has no effect",
                         "{file} 中的 {key}: {value} 不起作用"};
constexpr Text kBecomesNothing{"becomes no flag at all", "不会变成任何参数"};
constexpr Text kBecauseFalse{"a key that is true becomes --{key}; one that is false is left out",
                             "值为 true 的键变成 --{key}，值为 false 的键直接丢弃"};
constexpr Text kDefaultStays{"the server runs with the default of --{key}, and says nothing",
                             "服务按 --{key} 的默认值运行，且不作提示"};
constexpr Text kSayInCommand{"say {flag} in the command", "在命令里写 {flag}"};
constexpr Text kSayInFile{"write \"no-{key}: true\" in {file}", "在 {file} 中写“no-{key}: true”"};

constexpr Need kNeeds[] = {Need::Flags};

Complaint ignored(const Case& c, const FlagProblem& problem) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kIgnored, {{"word", c.command.words[problem.first_word].text}}};
  mark(d, problem.span, kNotRead);
  d.because = kBecauseTwoWords;
  d.otherwise = kWithoutFile;
  d.subject = "--config=";  // another matter than a file that cannot be read
  d.no_fix = {kTwoWords, {{"file", problem.value}}};
  complaint.proposals.push_back({.title = {kTwoWords, {{"file", problem.value}}},
                                 .changes = {replace_word(problem.first_word, "--config"),
                                             insert_word(problem.first_word, problem.value)}});
  return complaint;
}

// Each of several files alone.
std::vector<Proposal> one_file(const Case& c) {
  std::vector<Proposal> proposals;
  const auto& words = c.command.words;
  for (std::size_t kept = 0; kept + 1 < words.size(); ++kept) {
    if (words[kept].text != "--config") continue;
    Proposal proposal{.title = {kKeepFile, {{"file", words[kept + 1].text}}}, .changes = {}};
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i].text != "--config" || i == kept) continue;
      proposal.changes.push_back(remove_word(i));
      proposal.changes.push_back(remove_word(i + 1));
    }
    proposals.push_back(std::move(proposal));
  }
  return proposals;
}

Complaint unreadable(const Case& c, const FlagProblem& problem) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument file("file", problem.value);
  Message label;
  d.otherwise = kEndsAtOnce;
  switch (problem.file) {
    case FlagProblem::File::None:
      SX_UNREACHABLE("a file that cannot be read without a reason");
    case FlagProblem::File::Ending:
      d.title = {kEnding, {file}};
      d.no_fix = kRename;
      break;
    case FlagProblem::File::NotThere: {
      // Unless it is looked at where it will run, the command may be meant for another machine.
      const bool runs_here = c.host().from == HostFrom::Live && c.host().gpu_count.value_or(0) > 0;
      if (!runs_here) complaint.severity = Severity::Warning;
      d.title = {kNotThere, {file}};
      d.otherwise = runs_here ? kMissing : kWhereMissing;
      d.no_fix = kWhereItLies;
      break;
    }
    case FlagProblem::File::NotYaml:
      d.title = {kNoYaml, {file}};
      d.no_fix = kOneMap;
      label = {kWhy, {{"why", problem.expected}}};
      break;
    case FlagProblem::File::NoMap:
      d.title = {kNoMap, {file}};
      d.no_fix = kOneMap;
      break;
    case FlagProblem::File::Several:
      d.title = kSeveral;
      complaint.proposals = one_file(c);
      break;
  }
  mark(d, problem.span, std::move(label));
  d.because = kBecauseFile;
  d.subject = "--config";
  return complaint;
}

// Off without being told so: then nothing is lost.
bool off_anyway(const Case& c, const FlagRow* row) {
  if (row == nullptr) return true;  // an unknown key that does nothing is not worth a word
  const auto known = engine_default(c.serve.engine, row->name.substr(2), c.serve.version);
  const std::string text = lower(known ? known->value : row->default_text);
  return text == "false" || text == "off" || text == "no";
}

std::optional<Complaint> no_effect(const Case& c, const FlagProblem& problem) {
  const EngineFlags* flags = engine_flags(c.serve.engine);
  const FlagRow* row = flags == nullptr ? nullptr : flags->find(problem.name);
  if (off_anyway(c, row) || row->kind != FlagKind::Switch) return {};
  const FlagUse* use = c.serve.use_of(row->name);
  if (use != nullptr && !use->spliced) return {};  // the command decides
  Complaint complaint;
  complaint.severity = Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  const std::string& file = c.sources->at(problem.span.source).name;
  const Argument key("key", row->name.substr(2));
  d.title = {kNoEffect, {{"key", problem.typed}, {"value", problem.value}, {"file", file}}};
  mark(d, problem.span, kBecomesNothing);
  d.because = {kBecauseFalse, {key}};
  d.otherwise = {kDefaultStays, {key}};
  d.subject = row->name;
  d.no_fix = {kSayInFile, {key, {"file", file}}};
  if (row->negatable) {
    const std::string flag = "--no-" + std::string(row->name.substr(2));
    complaint.proposals.push_back(
        {.title = {kSayInCommand, {{"flag", flag}}}, .changes = {add_switch(flag)}});
  }
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  for (const FlagProblem& problem : c.serve.problems) {
    if (problem.kind == FlagProblem::Kind::ConfigIgnored) complaints.push_back(ignored(c, problem));
    if (problem.kind == FlagProblem::Kind::ConfigUnreadable)
      complaints.push_back(unreadable(c, problem));
    if (problem.kind != FlagProblem::Kind::NoEffect) continue;
    if (auto complaint = no_effect(c, problem)) complaints.push_back(*std::move(complaint));
  }
  return complaints;
}

}  // namespace

extern const Rule config_file_ignored{
    .code = "SX1107",
    .name = "config-file-ignored",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
