// The answer for an issue or a wiki page.
#include "base/strings.h"
#include "cli/plan_answer.h"
#include "knowledge/engine_names.h"
#include "text/columns.h"

namespace sx {
namespace {

constexpr Text kOut{"Layouts that are out", "不可用的布局"};
constexpr Text kLayout{"layout", "布局"};
constexpr Text kRule{"rule", "规则"};
constexpr Text kWhy{"why", "原因"};
constexpr Text kNearest{"nearest change", "最小改动"};
constexpr Text kCommands{"Commands of {label}", "{label} 的命令"};

// A cell must not end the cell, begin markup or leave its line.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '|' || c == '<' || c == '\\' || c == '`' || c == '*' || c == '_') out += '\\';
    out += c;
  }
  return out;
}

std::string row_of(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& one : cells) line += ' ' + cell(one) + " |";
  return line + '\n';
}

std::string rule_of(std::size_t columns_count) {
  std::string line = "|";
  for (std::size_t i = 0; i < columns_count; ++i) line += " --- |";
  return line + '\n';
}

}  // namespace

std::string plan_markdown(const PlanPage& page) {
  const Language language = page.style.language;
  const auto say = [language](Text text) { return std::string(text.in(language)); };
  std::string out;
  for (const std::string& line : plan_headline(page)) out += cell(line) + "\n\n";
  if (!page.answer.plans.empty()) {
    const auto rows = plan_rows(page);
    out += row_of(rows.front()) + rule_of(rows.front().size());
    for (std::size_t i = 1; i < rows.size(); ++i) out += row_of(rows[i]);
    out += '\n';
  }
  for (const Message& advice : page.answer.advice) out += cell(rendered(advice, language)) + "\n\n";
  if (!page.answer.nothing.empty()) out += cell(rendered(page.answer.nothing, language)) + "\n\n";
  if (!page.answer.rejected.empty()) {
    out += "### " + say(kOut) + "\n\n" +
           row_of({say(kLayout), say(kRule), say(kWhy), say(kNearest)}) + rule_of(4);
    for (const Rejected& one : page.answer.rejected) {
      const std::string fix = one.nearest_fix.empty() ? "" : rendered(one.nearest_fix, language);
      out += row_of(
          {rendered(Value{one.shown}, language), one.code, rendered(one.why, language), fix});
    }
    out += '\n';
  }
  for (const Plan& plan : page.answer.plans) {
    if (!plan.fits) continue;
    const std::string name =
        plan.model + (plan.model.empty() ? "" : " ") + rendered(Value{plan.shown}, language);
    out += "### " + cell(rendered({kCommands, {{"label", name}}}, language)) + "\n\n```sh\n";
    for (const std::string& command : plan.commands) out += printable(command) + '\n';
    out += "```\n\n";
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace sx
