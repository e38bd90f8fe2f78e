// Flags and environment variables of every engine that has tables.
#include <algorithm>

#include "base/strings.h"
#include "cli/explain.h"
#include "knowledge/engine_names.h"
#include "knowledge/flags.h"
#include "knowledge/library_variables.h"
#include "knowledge/per_engine.h"
#include "knowledge/variables.h"

namespace sx {
namespace {

Text kind_title(FlagKind kind) {
  switch (kind) {
    case FlagKind::Switch:
      return {"switch, takes no value", "开关，不带值"};
    case FlagKind::Integer:
      return {"whole number", "整数"};
    case FlagKind::Number:
      return {"number", "数字"};
    case FlagKind::String:
      return {"text", "文本"};
    case FlagKind::Choice:
      return {"one of a list", "限定取值"};
    case FlagKind::List:
      return {"one or more values", "一个或多个值"};
    case FlagKind::Json:
      return {"JSON object, also as dotted flags", "JSON 对象，也可写成带点的参数"};
    case FlagKind::Optional:
      return {"value may be left out", "值可省略"};
  }
  return {"text", "文本"};
}

std::string joined(const std::vector<std::string_view>& words) {
  std::vector<std::string> owned(words.begin(), words.end());
  return join(owned, ", ");
}

const FlagRow* find_flag(const EngineFlags& flags, std::string_view word) {
  const std::string dashed = replaced(word, "_", "-");
  if (const FlagRow* row = flags.find(word)) return row;
  if (const FlagRow* row = flags.find(dashed)) return row;
  return word.starts_with('-') ? nullptr : flags.find("--" + dashed);
}

// The one flag that begins so, as Python's parsers take it: --tp for --tp-size.
const FlagRow* begun_flag(const EngineFlags& flags, std::string_view word) {
  const std::string dashed = replaced(word, "_", "-");
  if (dashed.size() < 4 || !dashed.starts_with("--")) return nullptr;
  std::size_t found = flags.rows.size();
  for (const auto& [name, row] : flags.by_name) {
    if (!name.starts_with(dashed)) continue;
    if (found != flags.rows.size() && found != row) return nullptr;
    found = row;
  }
  return found == flags.rows.size() ? nullptr : &flags.rows[found];
}

Explained described(const EngineFlags& flags, const FlagRow& row, Language language) {
  Fields fields(language);
  fields.add({"engine", "引擎"}, std::string(shown_engine(flags.engine)));
  fields.add({"also", "别名"}, joined(row.aliases));
  fields.add({"value", "取值"}, std::string(kind_title(row.kind).in(language)));
  fields.add({"one of", "可选值"}, joined(row.choices));
  fields.add({"default", "默认值"}, std::string(row.default_text));
  fields.add({"first seen in", "最早见于"},
             row.first_seen ? row.first_seen->text() : "<= " + flags.oldest().text());
  fields.add({"gone in", "移除于"}, row.removed ? row.removed->text() : "");
  fields.add({"in its place", "替代"}, in_language(row.successor, row.successor_chinese, language));
  fields.add({"meaning", "含义"}, in_language(row.meaning, row.meaning_chinese, language));
  add_claims(fields, row.name, language);
  fields.add({"source", "来源"}, std::string(row.source));
  return fields.entry("flag", row.name);
}

}  // namespace

std::vector<Explained> explain_flag(std::string_view word, Language language) {
  std::vector<Explained> found;
  for (const std::string_view engine : kEnginesWithTables) {
    const EngineFlags* flags = engine_flags(engine);
    const FlagRow* row = flags == nullptr ? nullptr : find_flag(*flags, word);
    if (row != nullptr) found.push_back(described(*flags, *row, language));
  }
  if (!found.empty()) return found;
  for (const std::string_view engine : kEnginesWithTables) {
    const EngineFlags* flags = engine_flags(engine);
    const FlagRow* row = flags == nullptr ? nullptr : begun_flag(*flags, word);
    if (row != nullptr) found.push_back(described(*flags, *row, language));
  }
  return found;
}

std::vector<Explained> explain_variable(std::string_view word, Language language) {
  std::vector<Explained> found;
  std::string name(word);
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  for (const std::string_view engine : kEnginesWithTables) {
    const VariableRow* row = find_variable(engine, name);
    if (row == nullptr) continue;
    Fields fields(language);
    fields.add({"engine", "引擎"}, std::string(shown_engine(engine)));
    fields.add({"type", "类型"}, std::string(row->type));
    fields.add({"default", "默认值"}, std::string(row->default_text));
    fields.add({"earlier defaults", "早期默认值"}, std::string(row->default_changes));
    fields.add({"first seen in", "最早见于"}, row->first_seen ? row->first_seen->text() : "");
    fields.add({"gone in", "移除于"}, row->removed ? row->removed->text() : "");
    fields.add({"meaning", "含义"}, in_language(row->meaning, row->meaning_chinese, language));
    if (find_library_variable(name) == nullptr) add_claims(fields, name, language);
    fields.add({"source", "来源"}, std::string(row->source));
    found.push_back(fields.entry("variable", name));
  }
  if (const LibraryVariable* row = find_library_variable(name)) {
    Fields fields(language);
    fields.add({"library", "库"}, std::string(row->library));
    fields.add({"type", "类型"}, std::string(row->type));
    fields.add({"words", "可用取值"}, joined(row->words));
    fields.add({"successor", "替代"}, std::string(row->successor));
    fields.add({"meaning", "含义"}, in_language(row->meaning, row->meaning_chinese, language));
    add_claims(fields, name, language);
    found.push_back(fields.entry("variable", name));
  }
  return found;
}

}  // namespace sx
