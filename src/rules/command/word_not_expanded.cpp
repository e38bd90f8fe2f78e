// SX1135. The long explanation and the scenes are in word_not_expanded.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "facts/secret_names.h"
#include "rules/command/flag_words.h"
#include "rules/command/script_text.h"
#include "rules/command/variable_words.h"

namespace sx::rules {
namespace {

constexpr Text kVariable{"{value} reaches the engine as it stands: single quotes keep the variable",
                         "{value} 会原样传给引擎：单引号里的变量不会展开"};
constexpr Text kNoShell{"{value} reaches the engine as it stands: no shell reads this list",
                        "{value} 会原样传给引擎：这里没有 shell 来展开它"};
constexpr Text kTilde{"the ~ of {value} reaches the engine as it stands",
                      "{value} 里的 ~ 会原样传给引擎"};
constexpr Text kLabel{"not replaced", "不会被替换"};
constexpr Text kBecauseQuotes{"inside single quotes a shell replaces nothing",
                              "单引号里，shell 不做任何替换"};
constexpr Text kBecauseTilde{
    "a shell replaces ~ only at the beginning of a word and outside of quotes; behind --flag= it "
    "does not",
    "shell 只在词的开头、引号之外替换 ~；写在 --参数= 后面也不会替换"};
constexpr Text kBecauseNoShell{
    "the words of a list are handed over as they are; Kubernetes replaces $(NAME), and compose "
    "replaces $NAME from its own surroundings",
    "列表里的词原样传入；Kubernetes 只替换 $(NAME)，compose 只按自己的环境替换 $NAME"};
constexpr Text kNoModel{"the engine looks for a model of that very name and ends within seconds",
                        "引擎会去找正好叫这个名字的模型，几秒内退出"};
constexpr Text kRefused{"the launch is refused within seconds: the value cannot be read",
                        "启动在几秒内被拒绝：取值无法识别"};
constexpr Text kTaken{"the value is used as it stands", "这个值会被原样使用"};
constexpr Text kValue{"with its value, {value}", "直接写它的值 {value}"};
constexpr Text kDoubleQuotes{"write \"{value}\", with double quotes", "改用双引号：\"{value}\""};
constexpr Text kWholePath{"write the whole path, or $HOME in double quotes",
                          "写完整路径，或在双引号里用 $HOME"};
constexpr Text kParentheses{"write {better}, which is replaced there", "改写为会被替换的 {better}"};

// "$(MODEL)/x" for "${MODEL}/x".
std::string in_parentheses(std::string_view value) {
  std::string_view rest = value.substr(1);
  std::size_t end = 0;
  if (rest.starts_with('{')) {
    end = rest.find('}');
    return "$(" + std::string(rest.substr(1, end - 1)) + ')' + std::string(rest.substr(end + 1));
  }
  while (end < rest.size() &&
         (rest[end] == '_' || (rest[end] >= '0' && rest[end] <= '9') ||
          (rest[end] >= 'a' && rest[end] <= 'z') || (rest[end] >= 'A' && rest[end] <= 'Z')))
    ++end;
  return "$(" + std::string(rest.substr(0, end)) + ')' + std::string(rest.substr(end));
}

// The word with the value of a variable that the launch sets.
std::optional<std::string> replaced_here(const Case& c, const Unreplaced& one) {
  if (one.tilde) return {};
  const std::string better = in_parentheses(one.value);
  const auto end = better.find(')');
  const std::string name = better.substr(2, end - 2);
  for (const Setting* setting : own_settings(c)) {
    if (setting->name != name || !setting->complete || names_secret(name)) continue;
    const std::string& word = c.command.words[one.word].text;
    return word.substr(0, word.size() - one.value.size()) + setting->value + better.substr(end + 1);
  }
  return {};
}

const FlagUse* use_at(const Case& c, std::size_t word) {
  for (const FlagUse& use : c.serve.flags) {
    if (use.first_word <= word && word < use.first_word + use.word_count) return &use;
  }
  return nullptr;
}

bool problem_at(const Case& c, std::size_t word) {
  for (const FlagProblem& problem : c.serve.problems) {
    const std::size_t end = problem.first_word + std::max<std::size_t>(problem.word_count, 1);
    if (problem.first_word <= word && word < end) return true;
  }
  return false;
}

Message way_out(const Case& c, const Unreplaced& one, bool shell) {
  if (one.tilde) return kWholePath;
  if (shell) return {kDoubleQuotes, {{"value", shown({}, one.value)}}};
  if (c.around.kind == Surroundings::Kind::Kubernetes)
    return {kParentheses, {{"better", shown({}, in_parentheses(one.value))}}};
  return {kParentheses, {{"better", shown({}, one.value)}}};
}

std::optional<Complaint> about(const Case& c, const Unreplaced& one) {
  const Word& word = c.command.words[one.word];
  const FlagUse* use = use_at(c, one.word);
  const bool model = (c.serve.model_word > 0 && c.serve.model_word == one.word) ||
                     (use != nullptr && own_flag(c.serve, "--model") == use->name);
  const bool problem = problem_at(c, one.word);
  if (use == nullptr && !model && !problem) return {};
  // Where the folders can be seen, model-not-found says it, with the model that was meant.
  if (one.tilde && model && c.serve.engine != "llamacpp" && met(Need::HostFolders, c)) return {};
  const bool shell = word.quoting == Quoting::Shell;
  Complaint complaint;
  complaint.severity = model || problem ? Severity::Error : Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  const Argument value("value", shown({}, one.value));
  d.title = {one.tilde ? kTilde : shell ? kVariable : kNoShell, {value}};
  mark(d, use != nullptr ? use->span : word.span, kLabel);
  d.because = !shell ? kBecauseNoShell : one.tilde ? kBecauseTilde : kBecauseQuotes;
  d.otherwise = model ? kNoModel : problem ? kRefused : kTaken;
  d.subject = model ? std::string("model") : word.text;
  d.no_fix = way_out(c, one, shell);
  if (const auto better = replaced_here(c, one))
    complaint.proposals.push_back({.title = {kValue, {{"value", shown({}, *better)}}},
                                   .changes = {replace_word(one.word, *better)},
                                   .safety = Safety::Safe});
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  for (const Unreplaced& one : unreplaced_words(c)) {
    if (auto complaint = about(c, one)) complaints.push_back(*std::move(complaint));
  }
  return complaints;
}

}  // namespace

extern const Rule word_not_expanded{
    .code = "SX1135",
    .name = "word-not-expanded",
    .severity = Severity::Error,
    .check = check,
};

}  // namespace sx::rules
