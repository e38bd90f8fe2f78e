// SX1132. The long explanation and the scenes are in variable_not_passed_on.md.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "facts/secret_names.h"
#include "rules/command/script_text.h"
#include "rules/command/variable_words.h"

namespace sx::rules {
namespace {

constexpr Text kNotExported{"{name} is set but not exported, so the launch does not see it",
                            "设置了 {name} 却没有 export，启动命令看不到它"};
constexpr Text kTooLate{"{name} is exported behind the launch, which does not see it",
                        "{name} 在启动命令之后才 export，启动命令看不到它"};
constexpr Text kBlank{"a blank at the = keeps {name} from being set",
                      "等号旁有空格，{name} 没有被设置"};
constexpr Text kSudo{"sudo takes {name} away from the launch", "sudo 会把 {name} 从启动环境中去掉"};
constexpr Text kStays{"stays in the shell", "只留在 shell 里"};
constexpr Text kBehind{"the launch has begun by then", "此时启动命令已经在运行"};
constexpr Text kNoAssignment{"no assignment", "不是赋值"};
constexpr Text kDropped{"set for sudo itself", "只对 sudo 本身有效"};
constexpr Text kBecauseExport{"a program gets the variables that are exported before it is started",
                              "程序只能得到在它启动之前 export 的变量"};
constexpr Text kBecauseBlank{"an assignment is one word, NAME=value, without blanks",
                             "赋值是一个词：NAME=value，中间没有空格"};
constexpr Text kBecauseSudo{
    "sudo starts programs with a clean environment, but for what its settings let through",
    "sudo 默认用干净的环境启动程序，只保留其配置允许的变量"};
constexpr Text kOtherwise{"it runs as if the variable were not set; no message says so",
                          "照常运行，如同没有设置这个变量，也没有任何提示"};
constexpr Text kShell{
    "the shell says \"command not found\" or \"not a valid identifier\" and goes on",
    "shell 报“command not found”或“not a valid identifier”，然后继续执行"};
constexpr Text kInFront{"set in front of the launch", "写在启动命令前面"};
constexpr Text kKeep{"sudo -E, or behind it: sudo NAME=value …",
                     "用 sudo -E，或写在它后面：sudo NAME=value …"};
constexpr Text kMove{"export {name}=… above the launch", "在启动命令之前写 export {name}=…"};

constexpr std::size_t kMostLines = 20000;  // of a script
constexpr std::size_t kMostLabels = 3;     // as many places as a finding shows
constexpr std::size_t kMostNames = 3;      // in a title; the rest is counted

// NAME=value of a line of its own.
struct Assignment {
  std::string name, value;
  Span span;
  bool exported = false;
  bool blank = false;     // a blank at the =
  bool plain = true;      // the value can be taken over: no quotes, no variables
  bool finished = false;  // stands behind the launch
};

bool is_upper_name(std::string_view name) {
  return !name.empty() && name[0] >= 'A' && name[0] <= 'Z' && std::ranges::all_of(name, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::optional<Assignment> assignment(const ScriptText& script, std::size_t begin, std::size_t end) {
  const std::string_view line = script.text.substr(begin, end - begin);
  Assignment found;
  std::size_t at = std::min(line.find_first_not_of(" \t"), line.size());
  if (line.substr(at).starts_with("export ")) {
    found.exported = true;
    at = std::min(line.find_first_not_of(" \t", at + 6), line.size());
  }
  const std::size_t name_at = at;
  while (at < line.size() && line[at] != '=' && line[at] != ' ' && line[at] != '\t') ++at;
  found.name = line.substr(name_at, at - name_at);
  const std::size_t equals = line.find_first_not_of(" \t", at);
  if (!is_upper_name(found.name) || equals == std::string_view::npos || line[equals] != '=')
    return {};
  std::size_t value_at = equals + 1;
  found.blank = equals != at || (value_at < line.size() && line[value_at] == ' ');
  std::string_view value = line.substr(value_at);
  if (const auto comment = value.find(" #"); comment != std::string_view::npos && comment > 0)
    value = value.substr(0, comment);
  value = trimmed(value);
  // NAME=value command: an assignment for that command alone.
  const bool quoted = value.starts_with('"') || value.starts_with('\'');
  if (!quoted && value.find_first_of(" \t;&|") != std::string_view::npos) return {};
  found.plain = !value.empty() && value.find_first_of("\"'$`\\(") == std::string_view::npos;
  found.value = value;
  found.span = script.span(
      begin + name_at, begin + static_cast<std::size_t>(value.data() + value.size() - line.data()));
  return found;
}

// The shell hands over every variable, or this one is exported elsewhere.
bool exported_elsewhere(std::string_view text, const std::string& name) {
  for (const std::string_view all : {"set -a", "allexport", "set -o allexport"}) {
    if (text.contains(all)) return true;
  }
  for (const std::string_view word : {"export ", "declare -x ", "typeset -x ", "env "}) {
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
      const auto end = std::min(text.find('\n', at), text.size());
      if (text.substr(at, end - at).contains(name)) return true;
    }
  }
  return false;
}

// A function may be called, and a later launch may be meant.
bool order_unsure(const Case& c, const ScriptText& script, std::size_t at) {
  const std::string_view between = script.text.substr(script.end, at - script.end);
  for (const std::string_view sign : {"}", "done", "fi\n", "esac"}) {
    if (between.contains(sign)) return true;
  }
  return c.all_launches != nullptr && c.launch + 1 < static_cast<int>(c.all_launches->size());
}

Complaint start(const Assignment& one, const Text& title, const Text& label) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {title, {{"name", one.name}}};
  mark(d, one.span, label);
  d.because = kBecauseExport;
  d.otherwise = kOtherwise;
  d.no_fix = {kMove, {{"name", one.name}}};
  if (one.plain && !names_secret(one.name))
    complaint.proposals.push_back(
        {.title = kInFront, .changes = {set_environment(one.name, one.value)}});
  return complaint;
}

std::optional<Complaint> about(const Case& c, const ScriptText& script, const Assignment& one) {
  if (!somebody_reads(c, one.name) || sets(c, one.name)) return {};
  if (used_in_text(c, one.span, one.name)) return {};
  if (one.blank) {
    if (one.finished) return {};
    Complaint complaint = start(one, kBlank, kNoAssignment);
    complaint.diagnostic.because = kBecauseBlank;
    complaint.diagnostic.otherwise = kShell;
    return complaint;
  }
  if (one.finished) {
    if (!one.exported || order_unsure(c, script, one.span.begin)) return {};
    return start(one, kTooLate, kBehind);
  }
  if (one.exported || exported_elsewhere(script.text, one.name)) return {};
  return start(one, kNotExported, kStays);
}

void about_script(const Case& c, const ScriptText& script, std::vector<Complaint>& complaints) {
  std::set<std::string> said;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < script.text.size() && lines < kMostLines; ++lines) {
    const std::size_t end = std::min(script.text.find('\n', at), script.text.size());
    if (auto one = assignment(script, at, end)) {
      one->finished = at >= script.end;
      const bool inside = at < script.end && end > script.begin;
      if (!inside && said.insert(one->name).second) {
        if (auto complaint = about(c, script, *one)) {
          complaint->diagnostic.subject = script.text.substr(one->span.begin, one->name.size());
          complaints.push_back(*std::move(complaint));
        }
      }
    }
    at = end + 1;
  }
}

// Whether the options of sudo let the variable through.
bool kept_by_sudo(const std::vector<std::string>& before, std::string_view name) {
  return std::ranges::any_of(before, [name](const std::string& option) {
    const bool some = option.starts_with("--preserve-env=") && option.contains(name);
    return some || option == "-E" || option == "--preserve-env" || option == "-EH" ||
           option == "-HE";
  });
}

// All that sudo drops is one finding.
void about_sudo(const Case& c, const ScriptText& script, std::vector<Complaint>& complaints) {
  const auto& before = c.command.before;
  if (std::ranges::find(before, "sudo") == before.end() || !c.command.front.empty()) return;
  const auto sudo_at = script.text.find("sudo", script.begin);
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  std::vector<std::string> names;
  for (const Setting* setting : own_settings(c)) {
    const bool behind = setting->prefix && setting->span.begin > sudo_at;
    if (behind || !somebody_reads(c, setting->name) || kept_by_sudo(before, setting->name))
      continue;
    names.push_back(setting->name);
    if (d.labels.size() < kMostLabels)
      d.labels.push_back({setting->span, kDropped, d.labels.empty()});
  }
  if (names.empty()) return;
  const std::size_t more = names.size() - std::min(names.size(), kMostNames);
  names.resize(names.size() - more);
  if (more > 0) names.push_back("+" + std::to_string(more));
  d.title = {kSudo, {{"name", join(names, ", ")}}};
  d.because = kBecauseSudo;
  d.otherwise = kOtherwise;
  d.subject = "sudo";
  d.no_fix = kKeep;
  complaints.push_back(std::move(complaint));
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  const auto script = whole_script(c);
  if (!script) return complaints;
  about_script(c, *script, complaints);
  about_sudo(c, *script, complaints);
  return complaints;
}

}  // namespace

extern const Rule variable_not_passed_on{
    .code = "SX1132",
    .name = "variable-not-passed-on",
    .severity = Severity::Warning,
    .check = check,
};

}  // namespace sx::rules
