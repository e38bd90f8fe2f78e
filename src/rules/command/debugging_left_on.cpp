// SX1131. The long explanation and the scenes are in debugging_left_on.md.
#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "rules/command/flag_words.h"
#include "rules/command/variable_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{setting}, a setting for debugging, is left on",
                      "调试用的设置 {setting} 还开着"};
constexpr Text kLabel{"of use only while an error is sought", "只在排查问题时有用"};
constexpr Text kOtherwise{"it runs; {cost}", "可以运行，但{cost}"};
constexpr Text kBecause{
    "such settings buy insight with speed, and stay in a command after the search is over",
    "这类设置用速度换取信息，排查结束后常常留在命令里"};
constexpr Text kDrop{"without {name}", "去掉 {name}"};
constexpr Text kInFile{"take it out where it is set, once the error is found",
                       "查清问题后，在设置处删掉它"};

// Where the value turns it on; a part of a list counts as well.
bool turned_on(const DebugVariable& row, std::string_view value) {
  value = trimmed(value);
  if (value.empty()) return false;
  if (row.when == "set") return !says_off(value);
  if (row.when == "truth") return says_on(value);
  if (row.when == "number") {
    const auto number = to_integer(value);
    return number && std::to_string(*number) == row.value;
  }
  if (row.when == "in_list")
    return std::ranges::any_of(split(value, ','), [&](std::string_view part) {
      return lower(trimmed(part)) == lower(row.value);
    });
  return lower(value) == lower(row.value);
}

bool speaks_of(const DebugVariable& row, const Case& c) {
  return row.engines.empty() || std::ranges::find(row.engines, c.serve.engine) != row.engines.end();
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  for (const Setting* setting : own_settings(c)) {
    if (!setting->complete) continue;
    const auto rows = debug_variables();
    const auto row = std::ranges::find_if(rows, [&](const DebugVariable& one) {
      return one.name == setting->name && speaks_of(one, c) && turned_on(one, setting->value);
    });
    if (row == rows.end()) continue;
    Complaint& complaint = complaints.emplace_back();
    complaint.severity = row->warns ? Severity::Warning : Severity::Advice;
    Diagnostic& d = complaint.diagnostic;
    d.title = {kTitle, {{"setting", shown_setting(*setting)}}};
    mark_setting(d, *setting, kLabel);
    d.because = kBecause;
    d.otherwise = {kOtherwise,
                   {{"cost", Both{std::string(row->cost), std::string(row->cost_chinese)}}}};
    d.subject = setting->name;
    d.no_fix = kInFile;
    complaint.proposals.push_back({.title = {kDrop, {{"name", setting->name}}},
                                   .changes = {remove_environment(setting->name)},
                                   .safety = Safety::Safe});
  }
  return complaints;
}

}  // namespace

extern const Rule debugging_left_on{
    .code = "SX1131",
    .name = "debugging-left-on",
    .severity = Severity::Advice,
    .check = check,
};

}  // namespace sx::rules
