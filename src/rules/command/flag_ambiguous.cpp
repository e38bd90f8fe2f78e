// SX1105. The long explanation and the scenes are in flag_ambiguous.md.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/flags.h"
#include "knowledge/traits.h"
#include "rules/command/flag_words.h"
#include "rules/command/script_text.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{flag} is the beginning of several flags and the name of none",
                      "{flag} 是多个参数的前缀，本身不是参数名"};
constexpr Text kCould{"could be: {names}", "可能是：{names}"};
constexpr Text kBecause{
    "the parser completes the beginning of a flag only when one flag alone begins so",
    "前缀只对应一个参数时，解析器才会补全"};
constexpr Text kOtherwise{
    "after some seconds of imports it exits with status 2: \"ambiguous option: {flag}\"",
    "导入几秒后以状态码 2 退出：“ambiguous option: {flag}”"};
constexpr Text kUse{"use {name}, if that was meant", "如果想写的是 {name}，就写全"};

constexpr Text kShort{"{flag} is taken for {name} while no other flag begins so",
                      "{flag} 目前会补全为 {name}，前提是没有别的参数同样开头"};
constexpr Text kShortFor{"short for {name}", "{name} 的前缀"};
constexpr Text kNewFlags{
    "each release brings new flags, and a new one with the same beginning makes this one ambiguous",
    "每个版本都会增加参数；一旦新参数同样开头，这里就有歧义"};
constexpr Text kAfterUpdate{
    "after an update the launch may end with status 2: \"ambiguous option: {flag}\"",
    "升级之后可能无法启动，状态码 2：“ambiguous option: {flag}”"};
constexpr Text kWriteOut{"write {name} in full", "写出全名 {name}"};

constexpr Need kNeeds[] = {Need::Flags};

Complaint ambiguous(const Case& c, const FlagProblem& problem) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"flag", problem.typed}}};
  mark(d, problem.span, {kCould, {{"names", join(problem.candidates, ", ")}}});
  d.because = kBecause;
  d.otherwise = {kOtherwise, {{"flag", problem.typed}}};
  d.subject = problem.typed;
  const FlagUse* use = use_of(c.serve, problem);
  if (use == nullptr || use->spliced) {
    d.no_fix = mend_in_file(c, problem.span);
    return complaint;
  }
  // The least that was left off is the likeliest.
  std::vector<std::string> names = problem.candidates;
  std::ranges::sort(names, {},
                    [](const std::string& name) { return std::pair(name.size(), name); });
  for (const std::string& name : names) {
    complaint.proposals.push_back({.title = {kUse, {{"name", name}}},
                                   .changes = {rename_flag(problem.typed, with_path(name, *use))}});
  }
  return complaint;
}

// The typed word up to its first dot, with dashes.
std::string dashed(std::string_view typed) {
  return replaced(typed.substr(0, typed.find('.')), "_", "-");
}

std::string full_name(const FlagUse& use, std::string_view typed) {
  return use.negated && typed.starts_with("--n") ? "--no-" + use.name.substr(2) : use.name;
}

bool is_beginning(const EngineFlags& flags, const FlagUse& use, const std::string& typed) {
  if (!typed.starts_with("--") || flags.find(use.name) == nullptr || flags.find(typed) != nullptr)
    return false;
  const std::string full = full_name(use, typed);
  return typed.size() < full.size() && full.starts_with(typed);
}

Complaint only_beginning(const FlagUse& use, const std::string& full) {
  Complaint complaint;
  complaint.severity = Severity::Advice;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kShort, {{"flag", use.typed}, {"name", full}}};
  mark(d, use.name_span, {kShortFor, {{"name", full}}});
  d.because = kNewFlags;
  d.otherwise = {kAfterUpdate, {{"flag", use.typed}}};
  d.subject = use.name;
  complaint.proposals.push_back({.title = {kWriteOut, {{"name", full}}},
                                 .changes = {rename_flag(use.typed, with_path(full, use))},
                                 .safety = Safety::Safe});
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  const EngineFlags* flags = engine_flags(c.serve.engine);
  if (flags == nullptr) return complaints;
  std::set<std::string> said;
  for (const FlagProblem& problem : c.serve.problems) {
    if (said_elsewhere(c, problem)) continue;
    if (problem.kind != FlagProblem::Kind::Ambiguous || !said.insert(problem.typed).second)
      continue;
    complaints.push_back(ambiguous(c, problem));
  }
  for (const FlagUse& use : c.serve.flags) {
    const std::string typed = dashed(use.typed);
    // The engine's own documentation writes it so, and new flags keep clear of it.
    if (trait(c.serve.engine, "customary " + typed, c.serve.version)) continue;
    if (use.spliced || !is_beginning(*flags, use, typed) || !said.insert(use.name).second) continue;
    complaints.push_back(only_beginning(use, full_name(use, typed)));
  }
  return complaints;
}

}  // namespace

extern const Rule flag_ambiguous{
    .code = "SX1105",
    .name = "flag-ambiguous",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
