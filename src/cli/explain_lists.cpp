// Everything of a kind, a line each; and what an engine's tables hold.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "cli/explain.h"
#include "knowledge/architectures.h"
#include "knowledge/causes.h"
#include "knowledge/claims.h"
#include "knowledge/engine_names.h"
#include "knowledge/flags.h"
#include "knowledge/gpus.h"
#include "knowledge/library_variables.h"
#include "knowledge/models.h"
#include "knowledge/per_engine.h"
#include "knowledge/symptoms.h"
#include "knowledge/variables.h"
#include "knowledge/xids.h"
#include "rules/all.h"
#include "rules/rule_page.h"

namespace sx {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rule_rows() {
  Rows rows;
  for (const Rule* rule : rules::all())
    rows.push_back(
        {std::string(rule->code), std::string(rules::family(*rule)), std::string(rule->name)});
  return rows;
}

Rows flag_rows(Language language) {
  Rows rows;
  for (const std::string_view engine : kEnginesWithTables) {
    const EngineFlags* flags = engine_flags(engine);
    if (flags == nullptr) continue;
    for (const FlagRow& row : flags->rows) {
      if (row.removed && !row.returned) continue;
      rows.push_back({std::string(shown_engine(engine)), std::string(row.name),
                      in_language(row.meaning, row.meaning_chinese, language)});
    }
  }
  return rows;
}

Rows variable_rows(Language language) {
  Rows rows;
  for (const std::string_view engine : kEnginesWithTables) {
    for (const std::string_view name : variable_names(engine)) {
      const VariableRow* row = find_variable(engine, name);
      rows.push_back(
          {std::string(shown_engine(engine)), std::string(name),
           row == nullptr ? "" : in_language(row->meaning, row->meaning_chinese, language)});
    }
  }
  for (const LibraryVariable& row : library_variables())
    rows.push_back({std::string(row.library), std::string(row.name),
                    in_language(row.meaning, row.meaning_chinese, language)});
  return rows;
}

Rows gpu_rows(Language language) {
  Rows rows;
  for (const GpuKind& kind : gpu_kinds()) {
    rows.push_back({std::string(kind.name), kind.capability ? kind.capability->text() : "",
                    kind.memory ? rendered(Value{*kind.memory}, language) : ""});
  }
  return rows;
}

Rows xid_rows(Language language) {
  Rows rows;
  for (const XidRow& row : xids())
    rows.push_back({std::to_string(row.xid), std::string(row.scope),
                    in_language(row.meaning, row.meaning_chinese, language)});
  return rows;
}

Rows plain_rows(const std::vector<std::string_view>& names) {
  Rows rows;
  for (const std::string_view name : names) rows.push_back({std::string(name)});
  return rows;
}

std::vector<std::string_view> names_of_models() {
  const auto ids = model_ids();
  return {ids.begin(), ids.end()};
}

Rows engine_rows() {
  Rows rows;
  for (const std::string_view engine : kEnginesWithTables) {
    const EngineFlags* flags = engine_flags(engine);
    if (flags == nullptr || flags->read.empty()) continue;
    rows.push_back({std::string(shown_engine(engine)),
                    flags->oldest().text() + " – " + flags->newest().text(),
                    std::to_string(flags->rows.size())});
  }
  return rows;
}

// What can be asked for as a whole, and the word for one of its kind where that asks for all as
// well: `model` is a flag. Without rows it has a page of its own form.
struct Listing {
  std::string_view word, one;
  Rows (*rows)(Language) = nullptr;
};
constexpr std::array<Listing, 10> kListings{{
    {"rules", "rule", [](Language) { return rule_rows(); }},
    {"flags", "flag", flag_rows},
    {"variables", "variable", variable_rows},
    {"gpus", "gpu", gpu_rows},
    {"xids", "xid", xid_rows},
    {"models", "", [](Language) { return plain_rows(names_of_models()); }},
    {"architectures", "", [](Language) { return plain_rows(architecture_names()); }},
    {"quantisation", "", nullptr},
    {"causes", "cause", cause_rows},
    {"engines", "engine", [](Language) { return engine_rows(); }},
}};

}  // namespace

std::vector<Explained> explain_list(std::string_view word, Language language) {
  const std::string asked = lower(word);
  for (const Listing& listing : kListings) {
    if (asked.empty() || (asked != listing.word && asked != listing.one)) continue;
    return listing.rows == nullptr
               ? list_quantisation()
               : std::vector<Explained>{listed(listing.word, listing.rows(language))};
  }
  return {};
}

std::vector<Explained> explain_engine(std::string_view word, Language language) {
  for (const std::string_view engine : kEnginesWithTables) {
    const std::string asked = lower(word);
    if (asked != engine && asked != lower(shown_engine(engine))) continue;
    const EngineFlags* flags = engine_flags(engine);
    if (flags == nullptr || flags->read.empty()) continue;
    std::vector<std::string> versions;
    for (const Version& version : flags->read) versions.push_back(version.text());
    const auto known = std::ranges::count_if(rules::all(), [engine](const Rule* rule) {
      return rule->engines.empty() ||
             std::ranges::find(rule->engines, engine) != rule->engines.end();
    });
    Fields fields(language);
    fields.add({"versions read", "已读版本"}, join(versions, ", "));
    fields.add({"flags", "参数"}, std::to_string(flags->rows.size()));
    fields.add({"variables", "环境变量"}, std::to_string(variable_names(engine).size()));
    fields.add({"rules that speak of it", "适用规则"}, std::to_string(known));
    const std::string name(shown_engine(engine));
    return {fields.entry("engine", name)};
  }
  return {};
}

std::vector<std::string_view> explainable_names() {
  std::vector<std::string_view> names{"symptoms", "claims"};
  for (const Listing& listing : kListings) names.push_back(listing.word);
  for (const CauseRow& row : causes()) names.push_back(row.name);
  for (const ClaimRow& row : claims()) names.push_back(row.id);
  for (const SymptomRow& row : symptoms()) names.push_back(row.id);
  for (const LibraryVariable& row : library_variables()) names.push_back(row.name);
  for (const Rule* rule : rules::all()) {
    names.push_back(rule->code);
    names.push_back(rule->name);
  }
  for (const std::string_view engine : kEnginesWithTables) {
    const EngineFlags* flags = engine_flags(engine);
    if (flags != nullptr) {
      for (const FlagRow& row : flags->rows) names.push_back(row.name);
    }
    for (const std::string_view name : variable_names(engine)) names.push_back(name);
  }
  for (const GpuKind& kind : gpu_kinds()) names.push_back(kind.name);
  for (const auto id : model_ids()) names.push_back(id);
  return names;
}

}  // namespace sx
