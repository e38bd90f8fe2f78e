// Launch rules of the engines that stand as rows: one by its name, and those of a rule.
#include "base/strings.h"
#include "cli/explain.h"
#include "knowledge/constraints.h"
#include "knowledge/engine_names.h"
#include "knowledge/per_engine.h"
#include "rules/all.h"

namespace sx {
namespace {

std::string versions_of(const ConstraintRow& row) {
  if (!row.since && !row.until) return "";
  const std::string from = row.since ? row.since->text() + " –" : "–";
  return row.until ? from + ' ' + row.until->text() : from;
}

}  // namespace

std::vector<Explained> explain_constraint(std::string_view word, Language language) {
  const std::string asked = lower(word);
  std::vector<Explained> found;
  for (const std::string_view engine : kEnginesWithTables) {
    const Constraints* table = constraints_of(engine);
    if (table == nullptr) continue;
    for (const ConstraintRow& row : table->rows()) {
      if (row.id != asked) continue;
      const Rule* rule = rules::find(row.rule);
      Fields fields(language);
      fields.add({"engine", "引擎"}, std::string(shown_engine(engine)));
      fields.add({"versions", "版本"}, versions_of(row));
      fields.add({"what is said", "提示"}, in_language(row.title, language));
      fields.add({"because", "原因"}, in_language(row.because, language));
      fields.add({"when", "条件"}, std::string(row.when));
      fields.add({"rule", "规则"},
                 (rule == nullptr ? "" : std::string(rule->code) + ' ') + std::string(row.rule));
      fields.add({"source", "来源"}, std::string(row.source));
      found.push_back(fields.entry("launch rule", row.id));
    }
  }
  return found;
}

std::string constraints_of_rule(std::string_view rule, Language language) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string_view engine : kEnginesWithTables) {
    const Constraints* table = constraints_of(engine);
    if (table == nullptr) continue;
    for (const ConstraintRow& row : table->rows()) {
      if (row.rule == rule)
        rows.push_back({std::string(shown_engine(engine)), std::string(row.id), versions_of(row),
                        in_language(row.title, language)});
    }
  }
  if (rows.empty()) return "";
  constexpr Text kHeading{"\n## Launch rules of the engines that it speaks for\n\n",
                          "\n## 它所代表的引擎启动规则\n\n"};
  return std::string(kHeading.in(language)) + listed("", rows).text;
}

}  // namespace sx
