// SX1101. The long explanation and the scenes are in cli_flag_unknown.md.
#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "engines/engine.h"
#include "knowledge/flags.h"
#include "knowledge/foreign_flags.h"
#include "rules/command/flag_words.h"
#include "rules/command/script_text.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{engine} has no flag {flag}", "{engine} 没有 {flag} 这个参数"};
constexpr Text kMaybe{"{flag} is no flag that {engine} is known to have",
                      "已知的 {engine} 参数里没有 {flag}"};
constexpr Text kMeans{"here it is called {name}", "这里叫 {name}"};
constexpr Text kNearest{"nearest: {names}", "最接近的参数：{names}"};
constexpr Text kGlued{"name and value need a blank between them", "参数名与值之间要有空格"};
constexpr Text kNothingNear{"no flag is spelled like it", "没有拼写相近的参数"};
constexpr Text kBecause{
    "the parser takes full names, short forms and unambiguous beginnings of its own flags, and "
    "nothing else",
    "解析器只接受自己参数的全名、短写和无歧义的前缀，其余一概不认"};
constexpr Text kOtherwise{
    "after some seconds of imports it exits with status 2: \"unrecognized arguments: {words}\"",
    "导入几秒后以状态码 2 退出：“unrecognized arguments: {words}”"};
constexpr Text kNamesAlone{
    "the parser takes full names and short forms of its own flags, and nothing else",
    "解析器只接受自己参数的全名和短写，其余一概不认"};
constexpr OfEngine kBecauseOf[] = {{"llamacpp", kNamesAlone}};
constexpr OfEngine kOtherwiseOf[] = {
    {"llamacpp",
     {"it exits at once with status 1: \"error: invalid argument: {flag}\"",
      "立即以状态码 1 退出：“error: invalid argument: {flag}”"}}};
constexpr Text kPerhaps{
    "where it is missing, the launch ends within seconds: \"unrecognized arguments: {words}\"",
    "如果确实没有，几秒内就会退出：“unrecognized arguments: {words}”"};
constexpr OfEngine kPerhapsOf[] = {
    {"llamacpp",
     {"where it is missing, the launch ends at once with status 1: \"error: invalid argument: "
      "{flag}\"",
      "如果确实没有，会立即以状态码 1 退出：“error: invalid argument: {flag}”"}}};
constexpr Text kInstead{"use {name} instead of {flag}", "把 {flag} 换成 {name}"};
constexpr Text kNearly{"use {name} instead of {flag}; its value does not mean quite the same",
                       "把 {flag} 换成 {name}；两者的值含义不完全相同"};
constexpr Text kSwitch{"use {name} instead of {flag}; it is a switch and takes no value",
                       "把 {flag} 换成 {name}；它是开关，不带值"};
constexpr Text kLeaveOut{"leave {flag} out", "去掉 {flag}"};

constexpr Need kNeeds[] = {Need::Flags};

bool takes_no_value(const EngineFlags& flags, std::string_view name) {
  const FlagRow* row = flags.find(name);
  return row == nullptr ? name.starts_with("--no-") : row->kind == FlagKind::Switch;
}

// Another engine's spelling whose value is another thing here.
bool means_otherwise(const ServeSpec& serve, std::string_view typed, std::string_view name) {
  const ForeignFlag* foreign = foreign_flag(serve.engine, replaced(typed, "_", "-"));
  return foreign != nullptr && foreign->name == name && !foreign->carries_over;
}

// The same use under another name; a switch loses the value that stood there.
Proposal under_name(const Case& c, const FlagUse& use, const std::string& name) {
  const EngineFlags* flags = engine_flags(c.serve.engine);
  if (use.values.empty() || flags == nullptr || !takes_no_value(*flags, name)) {
    const bool nearly = !use.values.empty() && means_otherwise(c.serve, use.typed, name);
    return {.title = {nearly ? kNearly : kInstead, {{"name", name}, {"flag", use.typed}}},
            .changes = {rename_flag(use.typed, with_path(name, use))},
            .safety = nearly ? Safety::ChangesBehaviour : Safety::Safe};
  }
  // Other engines give a size where this one only has on and off.
  const std::string value = lower(use.values.front());
  const bool off = value == "0" || value == "1" || value == "false";
  std::vector<Change> changes;
  if (off) {
    changes.push_back(remove_flag(use.typed));
  } else {
    changes.push_back(replace_word(use.first_word, name));
    for (std::size_t i = 1; i < use.word_count; ++i)
      changes.push_back(remove_word(use.first_word + i));
  }
  return {.title = off ? Message{kLeaveOut, {{"flag", use.typed}}}
                       : Message{kSwitch, {{"name", name}, {"flag", use.typed}}},
          .changes = std::move(changes)};
}

// -tp2, and --flag=value where the parser does not split at it: a flag and its value without the
// blank between them.
std::optional<Proposal> with_blank(const Case& c, const FlagUse& use) {
  const EngineFlags* flags = engine_flags(c.serve.engine);
  const std::size_t equals = use.typed.find('=');
  // The digits at the end: --port8000.
  const std::size_t digits = use.typed.find_last_not_of("0123456789") + 1;
  const std::size_t end = std::min(equals, digits);
  if (end == 0 || end >= use.typed.size() || use.word_count != 1 || flags == nullptr) return {};
  const bool split = end == equals;
  const std::string name = use.typed.substr(0, end);
  const std::string value = use.typed.substr(split ? end + 1 : end);
  if (flags->find(name) == nullptr || (!split && !to_integer(value)) || value.empty()) return {};
  return Proposal{
      .title = {kInstead, {{"name", name + ' ' + value}, {"flag", use.typed}}},
      .changes = {replace_word(use.first_word, name), insert_word(use.first_word, value)},
      .safety = Safety::Safe};
}

// A flag as a file of flags writes it.
std::string as_key(std::string_view flag) {
  return std::string(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())));
}

// Another engine's flag, or the slip of one's own: no build will have it.
bool comes_from_elsewhere(const Case& c, const FlagProblem& problem) {
  if (!problem.candidates.empty()) return true;
  const std::string name = replaced(problem.typed, "_", "-");
  return std::ranges::any_of(all_engines(), [&](const Engine* engine) {
    const EngineFlags* flags = engine_flags(engine->name);
    return engine->name != c.serve.engine && flags != nullptr && flags->find(name) != nullptr;
  });
}

Complaint complaint_about(const Case& c, const FlagProblem& problem) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  // A newer build may have it, where it looks like no slip for a flag that is known.
  const bool other_build = build_is_a_guess(c.serve) && !comes_from_elsewhere(c, problem);
  const bool maybe = newer_than_read(c.serve) || other_build;
  if (maybe) {
    d.title = {kMaybe, {{"engine", engine_and_version(c.serve)}, {"flag", problem.typed}}};
    complaint.severity = Severity::Warning;
    if (other_build) say_version(d, c.serve);
  } else {
    d.title = {kTitle, {{"engine", engine_name(c.serve)}, {"flag", problem.typed}}};
  }

  const FlagUse* use = use_of(c.serve, problem);
  const bool means = use != nullptr && !use->meant.empty();
  const auto split_up = use == nullptr ? std::nullopt : with_blank(c, *use);
  if (split_up) {
    mark(d, problem.span, kGlued);
  } else if (means) {
    mark(d, problem.span, {kMeans, {{"name", use->meant}}});
  } else if (problem.candidates.empty()) {
    mark(d, problem.span, kNothingNear);
  } else {
    mark(d, problem.span, {kNearest, {{"names", join(problem.candidates, ", ")}}});
  }
  d.because = of_engine(c.serve, kBecauseOf, kBecause);
  d.otherwise = {maybe ? of_engine(c.serve, kPerhapsOf, kPerhaps)
                       : of_engine(c.serve, kOtherwiseOf, kOtherwise),
                 {{"words", quoted_back(problem.typed, problem.value)}, {"flag", problem.typed}}};
  d.subject = problem.typed;
  if (use == nullptr) return complaint;
  if (use->spliced) {
    d.no_fix = problem.candidates.empty()
                   ? mend_in_file(c, use->span)
                   : mend_in_file(c, use->span, as_key(problem.candidates.front()));
    return complaint;
  }
  if (split_up) {
    complaint.proposals = {*split_up};
    return complaint;
  }
  for (const std::string& name : problem.candidates)
    complaint.proposals.push_back(under_name(c, *use, name));
  if (!means) {
    complaint.proposals.push_back({.title = {kLeaveOut, {{"flag", problem.typed}}},
                                   .changes = {remove_flag(problem.typed)},
                                   .safety = Safety::Trades});
  }
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  std::set<std::string_view> said;
  for (const FlagProblem& problem : c.serve.problems) {
    if (said_elsewhere(c, problem)) continue;
    if (problem.kind != FlagProblem::Kind::Unknown || !said.insert(problem.typed).second) continue;
    complaints.push_back(complaint_about(c, problem));
  }
  return complaints;
}

}  // namespace

extern const Rule cli_flag_unknown{
    .code = "SX1101",
    .name = "cli-flag-unknown",
    .severity = Severity::Error,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
