// The same rules as `check`, asked of a command that we made ourselves.
#include "plan/judge.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "check/rule_pass.h"
#include "check/run_rules.h"
#include "rules/all.h"
#include "rules/memory/memory_titles.h"

namespace sx {
namespace {

Broken broken(const Diagnostic& d) {
  return {.code = std::string(d.code),
          .name = std::string(d.name),
          .why = d.title,
          .nearest_fix = d.fixes.empty() ? Message{} : d.fixes.front().title};
}

bool speaks_of(const Rule& rule, std::string_view engine) {
  return rule.engines.empty() || std::ranges::find(rule.engines, engine) != rule.engines.end();
}

bool needs_met(const Rule& rule, const Case& launch) {
  return std::ranges::all_of(rule.needs, [&launch](Need need) { return met(need, launch); });
}

std::optional<Broken> error_of(const Rule& rule, const Case& launch) {
  if (!speaks_of(rule, launch.serve.engine) || !needs_met(rule, launch)) return {};
  for (const Complaint& complaint : rule.check(launch)) {
    if (complaint.severity.value_or(rule.severity) != Severity::Error) continue;
    return Broken{.code = std::string(rule.code),
                  .name = std::string(rule.name),
                  .why = complaint.diagnostic.title,
                  .nearest_fix = {}};
  }
  return {};
}

// Looked up once: every layout without room asks.
const Rule* rule_about(MemoryBreak what) {
  static const std::array rules{rules::find(rules::rule_of(MemoryBreak::Weights)),
                                rules::find(rules::rule_of(MemoryBreak::NoRoom)),
                                rules::find(rules::rule_of(MemoryBreak::TooShort))};
  switch (what) {
    case MemoryBreak::Weights:
      return rules[0];
    case MemoryBreak::NoRoom:
      return rules[1];
    case MemoryBreak::TooShort:
      return rules[2];
  }
  return nullptr;
}

}  // namespace

Judgement judged(const Case& launch) {
  static const std::vector<const Rule*> ordered = in_causal_order(rules::all());
  Judgement judgement;
  std::vector<Diagnostic> all = findings_of(ordered, launch);
  for (Diagnostic& d : all) {
    if (d.severity == Severity::Error) {
      if (!judgement.error) judgement.error = broken(d);
      continue;
    }
    judgement.findings.push_back(std::move(d));
  }
  return judgement;
}

std::optional<Broken> first_broken(const Case& launch, std::string_view family) {
  for (const Rule* rule : rules::all()) {
    if (!rule->code.starts_with(family)) continue;
    if (auto broken = error_of(*rule, launch)) return broken;
  }
  return {};
}

std::optional<Broken> broken_by(const Case& launch, std::string_view name) {
  const Rule* rule = rules::find(name);
  return rule == nullptr ? std::nullopt : error_of(*rule, launch);
}

std::optional<Broken> broken_memory(const Case& launch, const Budget& budget) {
  const auto fault = memory_fault(launch, budget);
  if (!fault || rules::severity_of(launch, *fault) != Severity::Error) return {};
  const Rule* rule = rule_about(fault->what);
  if (rule == nullptr || !speaks_of(*rule, launch.serve.engine)) return {};
  return Broken{.code = std::string(rule->code),
                .name = std::string(rule->name),
                .why = rules::title_of(launch, *fault, budget),
                .nearest_fix = {}};
}

}  // namespace sx
