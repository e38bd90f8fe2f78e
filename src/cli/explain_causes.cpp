// What a run can fail of: its page from the table, and the words that logs have for it.
#include <algorithm>

#include "base/strings.h"
#include "cli/explain.h"
#include "knowledge/causes.h"
#include "knowledge/signatures.h"
#include "rules/all.h"

namespace sx {
namespace {

constexpr std::size_t kMostExamples = 6;

std::string code_of(const CauseRow& row) {
  if (const Rule* rule = rules::find(row.name)) return std::string(rule->code);
  return std::string(row.code);
}

// Lines that lead to it, at once or by a narrower reading.
std::vector<std::string> examples_of(std::string_view name) {
  std::vector<std::string_view> causes{name};
  for (const RefinementRow& row : refinements()) {
    if (row.to == name && std::ranges::find(causes, row.from) == causes.end())
      causes.push_back(row.from);
  }
  std::vector<std::string> lines;
  for (const SignatureRow& row : signatures()) {
    const bool says = row.kind == SignatureKind::Root || row.kind == SignatureKind::Symptom ||
                      row.kind == SignatureKind::Request;
    if (says && lines.size() < kMostExamples &&
        std::ranges::find(causes, row.cause) != causes.end())
      lines.emplace_back(row.example);
  }
  return lines;
}

Explained whole(const CauseRow& row, Language language) {
  Fields fields(language);
  fields.add({"cause", "根因"}, in_language(row.title, language));
  fields.add({"because", "原因"}, in_language(row.because, language));
  fields.add({"otherwise", "后果"}, in_language(row.otherwise, language));
  fields.add({"to confirm", "如何确认"}, in_language(row.sure, language));
  fields.add({"what helps", "怎么办"}, in_language(row.fix, language));
  fields.add({"name", "名称"}, std::string(row.name));
  fields.add({"code", "代码"}, code_of(row));
  fields.add({"in a log", "日志里"}, join(examples_of(row.name), " | "));
  fields.add({"source", "来源"}, std::string(row.source));
  Explained entry = fields.entry("cause", row.name);
  entry.scenes = scenes_of_cause(row);
  entry.text += scenes_text(entry.scenes, language);
  return entry;
}

}  // namespace

std::vector<Explained> explain_cause(std::string_view word, Language language) {
  const CauseRow* row = find_cause(word);
  if (row == nullptr) return {};
  return {whole(*row, language)};
}

std::vector<std::vector<std::string>> cause_rows(Language language) {
  std::vector<std::vector<std::string>> rows;
  for (const CauseRow& row : causes())
    rows.push_back({code_of(row), std::string(row.name), in_language(row.title, language)});
  std::ranges::sort(rows);
  return rows;
}

std::string lines_of_rule(std::string_view rule, Language language) {
  const auto lines = examples_of(rule);
  if (lines.empty()) return "";
  constexpr Text kHeading{"\n## What a log says\n\n", "\n## 日志里的样子\n\n"};
  std::string out(kHeading.in(language));
  for (const std::string& line : lines) out += "    " + std::string(trimmed(line)) + '\n';
  return out;
}

}  // namespace sx
