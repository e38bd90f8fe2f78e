// SX1129. The long explanation and the scenes are in variable_without_effect.md.
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "knowledge/flags.h"
#include "rules/command/flag_words.h"
#include "rules/command/variable_words.h"

namespace sx::rules {
namespace {

constexpr Text kGone{"{engine} no longer reads {name}", "{engine} 已不再读取 {name}"};
constexpr Text kNotYet{"{engine} does not read {name} yet", "{engine} 还不读取 {name}"};
constexpr Text kOld{"{engine} still reads {name}, an old name", "{engine} 仍会读取旧名 {name}"};
constexpr Text kOverruled{"{name} is overruled by {flag}", "{name} 被 {flag} 覆盖"};
constexpr Text kSince{"gone since {version}", "自 {version} 起已去掉"};
constexpr Text kFrom{"there from {version} on", "从 {version} 起才有"};
constexpr Text kInstead{"its place is taken by {successor}", "取代它的是 {successor}"};
constexpr Text kNothing{"without effect here", "在这里不起作用"};
constexpr Text kBecauseGone{"a version reads the variables that its own code asks for, no others",
                            "每个版本只读取自己代码里用到的变量"};
constexpr Text kBecauseFlag{"a flag wins over the variable that stands for it",
                            "命令行参数优先于对应的变量"};
constexpr Text kBecauseOld{"the engine copies the old name to the new one for now",
                           "引擎目前会把旧名的值复制到新名"};
constexpr Text kBecauseMoved{"the setting has become a flag of the command line",
                             "这项设置已改成命令行参数"};
constexpr Text kAsIfAbsent{"it runs with its own choice, as if the variable were not set",
                           "引擎按自己的默认方式运行，如同没有设置这个变量"};
constexpr Text kRefused{"it logs a warning at start; a later version will pass it over",
                        "启动时写一条警告；以后的版本会忽略它"};
constexpr Text kSaid{"a line in the log says that it is overwritten", "日志里有一行说明它被覆盖"};
constexpr Text kUse{"{successor} instead", "改用 {successor}"};
constexpr Text kInFile{"take it out where it is set", "在设置处删掉它"};

constexpr Need kNeeds[] = {Need::Flags};

constexpr std::string_view kOldPrefix = "SGL_", kNewPrefix = "SGLANG_";

// "--attention-backend {value}" → the flag and the value it gets; nothing where only the place is
// named.
struct Successor {
  std::string flag;
  std::optional<std::string> value;
};

std::optional<Successor> successor_of(const VariableRow& row, const Setting& setting) {
  if (row.successor.empty()) return {};
  const auto blank = row.successor.find(' ');
  Successor successor{.flag = std::string(row.successor.substr(0, blank)), .value = {}};
  if (blank != std::string_view::npos)
    successor.value = replaced(row.successor.substr(blank + 1), "{value}", setting.value);
  return successor;
}

void propose_successor(Complaint& complaint, const Case& c, const Setting& setting,
                       const Successor& successor) {
  const EngineFlags* flags = engine_flags(c.serve.engine);
  const std::string name = successor.flag.substr(0, successor.flag.find('.'));
  const FlagRow* row = flags == nullptr ? nullptr : flags->find(name);
  if (row == nullptr || flags->standing(*row, c.serve.version) != Standing::Known) return;
  const bool is_switch = row->kind == FlagKind::Switch;
  if (!setting.complete || setting.value.empty() || c.serve.use_of(name) != nullptr) return;
  if (is_switch ? !says_on(setting.value) : !successor.value) return;
  const std::string shown_as = is_switch ? successor.flag : successor.flag + ' ' + *successor.value;
  complaint.proposals.push_back(
      {.title = {kUse, {{"successor", shown_as}}},
       .changes = {remove_environment(setting.name),
                   is_switch ? add_switch(successor.flag)
                             : set_flag(successor.flag, *successor.value)},
       .safety = Safety::Safe});
}

Complaint start(const Setting& setting, Message title, Message label) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = std::move(title);
  mark_setting(d, setting, std::move(label));
  d.because = kBecauseGone;
  d.otherwise = kAsIfAbsent;
  d.subject = setting.name;
  d.no_fix = kInFile;
  return complaint;
}

// The value that the variable had by itself: nobody misses it.
bool asks_nothing(const VariableRow& row, const Setting& setting) {
  const std::string own = lower(replaced(row.default_text, "'", ""));
  if (own == "true") return says_on(setting.value);
  if (own == "false" || own == "none" || own.empty()) return says_off(setting.value);
  return lower(setting.value) == own;
}

Complaint gone(const Case& c, const Setting& setting, const VariableRow& row) {
  const Argument engine("engine", engine_and_version(c.serve)), name("name", setting.name);
  const auto successor = successor_of(row, setting);
  Message label{kSince, {{"version", row.removed->text()}}};
  if (successor) label = {kInstead, {{"successor", successor->flag}}};
  Complaint complaint = start(setting, {kGone, {engine, name}}, std::move(label));
  if (asks_nothing(row, setting)) complaint.severity = Severity::Advice;
  say_version(complaint.diagnostic, c.serve);
  if (successor) {
    complaint.diagnostic.basis.push_back({kSince, {{"version", row.removed->text()}}});
    propose_successor(complaint, c, setting, *successor);
  }
  propose_without(complaint, setting);
  return complaint;
}

Complaint not_yet(const Case& c, const Setting& setting, const VariableRow& row) {
  Complaint complaint =
      start(setting, {kNotYet, {{"engine", engine_and_version(c.serve)}, {"name", setting.name}}},
            {kFrom, {{"version", row.first_seen->text()}}});
  if (asks_nothing(row, setting)) complaint.severity = Severity::Advice;
  propose_without(complaint, setting);
  return complaint;
}

// Read to this day, with a warning, in favour of a flag.
Complaint deprecated(const Case& c, const Setting& setting, const Successor& successor) {
  Complaint complaint =
      start(setting, {kOld, {{"engine", engine_and_version(c.serve)}, {"name", setting.name}}},
            {kInstead, {{"successor", successor.flag}}});
  complaint.severity = Severity::Advice;
  complaint.diagnostic.otherwise = kRefused;
  complaint.diagnostic.because = successor.flag.starts_with("--") ? kBecauseMoved : kBecauseOld;
  propose_successor(complaint, c, setting, successor);
  return complaint;
}

// SGL_X, which was copied to SGLANG_X before anything reads it.
std::optional<Complaint> old_prefix(const Case& c, const Setting& setting) {
  if (c.serve.engine != "sglang" || !setting.name.starts_with(kOldPrefix)) return {};
  const std::string name = std::string(kNewPrefix) + setting.name.substr(kOldPrefix.size());
  if (find_variable(c.serve.engine, name) == nullptr) return {};
  Complaint complaint = deprecated(c, setting, {.flag = name, .value = {}});
  if (setting.complete)
    complaint.proposals.push_back(
        {.title = {kUse, {{"successor", name}}},
         .changes = {remove_environment(setting.name), set_environment(name, setting.value)},
         .safety = Safety::Safe});
  return complaint;
}

std::optional<Complaint> overruled(const Case& c, const Setting& setting, const VariableRow& row) {
  const FlagUse* use = row.flag.empty() ? nullptr : c.serve.use_of(row.flag);
  if (use == nullptr) return {};
  if (use->values.size() == 1 && use->values.front() == setting.value) return {};
  Complaint complaint =
      start(setting, {kOverruled, {{"name", setting.name}, {"flag", use->typed}}}, kNothing);
  complaint.severity = Severity::Advice;
  Diagnostic& d = complaint.diagnostic;
  mark(d, use->span, {});
  d.because = kBecauseFlag;
  d.otherwise = kSaid;
  propose_without(complaint, setting);
  return complaint;
}

// Names of libraries that took another name.
std::optional<Complaint> renamed(const Setting& setting) {
  const LibraryVariable* row = find_library_variable(setting.name);
  if (row == nullptr || row->successor.empty()) return {};
  constexpr Text kRenamed{"{name} is an old name of {successor}", "{name} 是 {successor} 的旧名"};
  constexpr Text kRenamedLabel{"an old name", "旧名"};
  constexpr Text kBecauseRenamed{"the library took other names for its variables",
                                 "这个库给变量改了名字"};
  constexpr Text kThen{"it warns at start, or passes the old name over", "启动时警告，或忽略旧名"};
  const Argument successor("successor", row->successor);
  Complaint complaint =
      start(setting, {kRenamed, {{"name", setting.name}, successor}}, kRenamedLabel);
  complaint.severity = Severity::Advice;
  complaint.diagnostic.because = kBecauseRenamed;
  complaint.diagnostic.otherwise = kThen;
  if (setting.complete)
    complaint.proposals.push_back(
        {.title = {kUse, {successor}},
         .changes = {remove_environment(setting.name),
                     set_environment(std::string(row->successor), setting.value)}});
  return complaint;
}

std::optional<Complaint> about(const Case& c, const Setting& setting) {
  if (auto complaint = renamed(setting)) return complaint;
  if (auto complaint = old_prefix(c, setting)) return complaint;
  const VariableRow* row = find_variable(c.serve.engine, setting.name);
  if (row == nullptr || row->action != "read") return {};
  if (find_library_variable(setting.name) != nullptr) return {};  // others read it as well
  switch (variable_standing(c.serve.engine, *row, c.serve.version)) {
    case Standing::Removed:
      return gone(c, setting, *row);
    case Standing::NotYet:
      return not_yet(c, setting, *row);
    default:
      break;
  }
  if (auto complaint = overruled(c, setting, *row)) return complaint;
  const auto successor = successor_of(*row, setting);
  if (successor && !row->removed) return deprecated(c, setting, *successor);
  return {};
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  for (const Setting* setting : own_settings(c)) {
    if (auto complaint = about(c, *setting)) complaints.push_back(*std::move(complaint));
  }
  return complaints;
}

}  // namespace

extern const Rule variable_without_effect{
    .code = "SX1129",
    .name = "variable-without-effect",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
