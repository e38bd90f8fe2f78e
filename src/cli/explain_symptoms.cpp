// What one sees and what it usually is; a pasted log line finds its row.
#include <algorithm>

#include "base/strings.h"
#include "cli/explain.h"
#include "knowledge/symptoms.h"
#include "rules/all.h"
#include "text/table.h"

namespace sx {
namespace {

// So many are shown whole; of more, a line each.
constexpr std::size_t kMostWhole = 3;

Text topic_title(std::string_view topic) {
  if (topic == "start") return {"start-up", "启动"};
  if (topic == "memory") return {"memory", "显存与内存"};
  if (topic == "hang") return {"hang", "卡住"};
  if (topic == "slow") return {"slow", "速度慢"};
  if (topic == "output") return {"wrong output", "输出不对"};
  if (topic == "http") return {"HTTP answers", "HTTP 应答"};
  if (topic == "container") return {"container", "容器"};
  if (topic == "links") return {"links between GPUs", "GPU 互联"};
  if (topic == "model") return {"model files", "模型文件"};
  if (topic == "machine") return {"machine", "机器"};
  return {"several hosts", "多机"};
}

// "SX3102 no-kv-blocks", or the class alone where no rule of a launch can speak of it.
std::string rule_title(std::string_view name) {
  const Rule* rule = name.empty() ? nullptr : rules::find(name);
  return rule == nullptr ? std::string(name) : std::string(rule->code) + ' ' + std::string(name);
}

Explained whole(const SymptomRow& row, Language language) {
  Fields fields(language);
  fields.add({"seen", "现象"}, in_language(row.seen, language));
  fields.add({"usually", "多半是"}, in_language(row.usually, language));
  fields.add({"to make sure", "如何确认"}, in_language(row.sure, language));
  fields.add({"what helps", "怎么办"}, in_language(row.helps, language));
  fields.add({"topic", "类别"}, std::string(topic_title(row.topic).in(language)));
  fields.add({"rule", "规则"}, rule_title(row.rule));
  std::vector<std::string> lines(row.lines.begin(), row.lines.end());
  fields.add({"typical words", "典型字样"}, join(lines, " | "));
  fields.add({"source", "来源"}, std::string(row.source));
  return fields.entry("symptom", row.id);
}

std::vector<Explained> shown(const std::vector<const SymptomRow*>& rows, Language language) {
  std::vector<Explained> entries;
  if (rows.size() <= kMostWhole) {
    for (const SymptomRow* row : rows) entries.push_back(whole(*row, language));
    return entries;
  }
  std::vector<std::vector<std::string>> lines;
  for (const SymptomRow* row : rows)
    lines.push_back({std::string(row->id), in_language(row->seen, language)});
  return {listed("symptoms", lines)};
}

bool about(const SymptomRow& row, std::string_view word) {
  const auto in = [word](std::string_view text) { return lower(text).contains(word); };
  const auto either = [&in](const Sentence& both) { return in(both.english) || in(both.chinese); };
  const Text topic = topic_title(row.topic);
  return in(row.id) || row.topic == word || in(topic.in(Language::English)) ||
         in(topic.in(Language::Chinese)) || in(rule_title(row.rule)) || either(row.seen) ||
         either(row.usually) || std::ranges::any_of(row.lines, in);
}

std::vector<const SymptomRow*> of_rule(std::string_view rule) {
  std::vector<const SymptomRow*> rows;
  for (const SymptomRow& row : symptoms()) {
    if (!rule.empty() && row.rule == rule) rows.push_back(&row);
  }
  return rows;
}

}  // namespace

std::vector<Explained> explain_symptoms(std::string_view filter, Language language) {
  const std::string word = lower(trimmed(filter));
  std::vector<const SymptomRow*> rows;
  for (const SymptomRow& row : symptoms()) {
    if (row.id == word) return {whole(row, language)};
    if (about(row, word)) rows.push_back(&row);
  }
  if (rows.empty()) rows = symptoms_in(filter);
  return shown(rows, language);
}

std::vector<Explained> explain_symptom(std::string_view word, Language language) {
  const std::string name = lower(trimmed(word));
  if (const SymptomRow* row = find_symptom(name)) return {whole(*row, language)};
  auto rows = of_rule(name);  // of a class of failures that no rule speaks of before a launch
  if (rows.empty()) rows = symptoms_in(word);
  if (rows.size() > kMostWhole) rows.resize(kMostWhole);
  return shown(rows, language);
}

std::string symptoms_of_rule(std::string_view rule, Language language) {
  std::vector<std::vector<std::string>> lines;
  for (const SymptomRow* row : of_rule(rule))
    lines.push_back({std::string(row->id), in_language(row->seen, language)});
  if (lines.empty()) return "";
  constexpr Text kHeading{"\n## How it looks where nobody checked\n\n",
                          "\n## 没有检查就启动时的现象\n\n"};
  return std::string(kHeading.in(language)) + listed("", std::move(lines)).text;
}

}  // namespace sx
