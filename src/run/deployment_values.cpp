// Values of the deployment file's settings, each of its own kind and within its bounds.
#include <algorithm>

#include "knowledge/phase_steps.h"
#include "run/deployment_keys.h"

namespace sx {

using Kind = TomlValue::Kind;

std::vector<std::string_view> start_stages() {
  std::vector<std::string_view> stages;
  for (const PhaseRow& row : phase_rows()) {
    if (row.phase == "ready") break;  // the rows stand in the order of a life
    if (row.phase != "unknown" && std::ranges::find(stages, row.phase) == stages.end())
      stages.push_back(row.phase);
  }
  return stages;
}

bool put_text(const SettingTarget& to, std::string& into) {
  const auto& choices = to.row.choices;
  if (to.value.kind != Kind::String) return false;
  if (!choices.empty() && std::ranges::find(choices, to.value.text) == choices.end()) return false;
  into = to.value.text;
  return true;
}

bool put_number(const SettingTarget& to, std::int64_t& into) {
  const TomlValue& value = to.value;
  if (value.kind != Kind::Integer || value.integer < to.row.least || value.integer > to.row.most)
    return false;
  into = value.integer;
  return true;
}

bool put_ratio(const SettingTarget& to, double& into) {
  const TomlValue& value = to.value;
  if (value.kind != Kind::Integer && value.kind != Kind::Float) return false;
  into = value.kind == Kind::Float ? value.number : static_cast<double>(value.integer);
  return into >= static_cast<double>(to.row.least) && into <= static_cast<double>(to.row.most);
}

bool put_numbers(const SettingTarget& to, std::vector<std::int64_t>& into) {
  if (to.value.kind != Kind::Array || to.value.items.empty()) return false;
  into.clear();
  for (const TomlValue& item : to.value.items) {
    std::int64_t number = 0;
    if (!put_number({to.file, to.model, item, to.row}, number)) return false;
    into.push_back(number);
  }
  return true;
}

bool put_words(const SettingTarget& to, std::vector<std::string>& into) {
  const TomlValue& value = to.value;
  into.clear();
  if (value.kind == Kind::String) {
    into.push_back(value.text);
    return !value.text.empty();
  }
  if (value.kind != Kind::Array || value.items.empty()) return false;
  for (const TomlValue& item : value.items) {
    if (item.kind != Kind::String) return false;
    into.push_back(item.text);
  }
  return true;
}

bool put_table(const SettingTarget& to, std::map<std::string, std::string>& into) {
  if (to.value.kind != Kind::Table) return false;
  for (const auto& entry : to.value.entries) {
    if (entry.value.kind != Kind::String || entry.key.empty()) return false;
    into[entry.key] = entry.value.text;
  }
  return true;
}

}  // namespace sx
