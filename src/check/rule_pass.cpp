// Rules speak in causal order, so that an error can hold back what rests on the facts it doubts.
#include "check/rule_pass.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "check/case_once.h"
#include "knowledge/other_engines.h"

namespace sx {
namespace {

constexpr std::string_view kOrder = "14235678";  // of families
constexpr std::size_t kStages = kOrder.size();
constexpr std::size_t kMostDiagnostics = 200;  // a hostile command must not print a book

// A need that rests on another one is as doubtful as that.
bool rests_on(Need need, Need doubted) {
  if (need == doubted) return true;
  if (need == Need::Layout && doubted == Need::ParallelSizes) return true;
  return need == Need::MemoryBudget &&
         (doubted == Need::Layout || doubted == Need::ParallelSizes ||
          doubted == Need::VisibleDevices || doubted == Need::HostGpuMemory ||
          doubted == Need::ModelShape);
}

// Of an engine that is only recognised (`other`) speak rules that name it, and those that its row
// names.
bool speaks_of(const Rule& rule, std::string_view engine, const OtherEngine* other) {
  if (other != nullptr) {
    return rule_holds_for(*other, rule.name) ||
           std::ranges::find(rule.engines, engine) != rule.engines.end();
  }
  return rule.engines.empty() || std::ranges::find(rule.engines, engine) != rule.engines.end();
}

// The code of the error that made one of the rule's needs doubtful; empty: none.
std::string_view doubted_by(const Rule& rule,
                            const std::vector<std::pair<Need, std::string_view>>& doubts) {
  for (const Need need : rule.needs) {
    for (const auto& [doubted, code] : doubts) {
      if (rests_on(need, doubted)) return code;
    }
  }
  return {};
}

void fill_in(const Rule& rule, const Case& c, Complaint& complaint) {
  Diagnostic& d = complaint.diagnostic;
  d.code = rule.code;
  d.name = rule.name;
  d.severity = complaint.severity.value_or(rule.severity);
  d.launch = c.launch;
}

bool needs_met(const Rule& rule, const Case& c) {
  return std::ranges::all_of(rule.needs, [&c](Need need) { return met(need, c); });
}

// Needs of a rule that are not met, and why the first is not.
NotChecked lacking(const Rule& rule, const Case& c) {
  NotChecked missing{.code = rule.code, .name = rule.name, .missing = {}, .reason = {}};
  for (const Need need : rule.needs) {
    if (met(need, c)) continue;
    if (missing.missing.empty()) missing.reason = why_not(need, c);
    missing.missing.push_back(name(need));
  }
  return missing;
}

// What a silent rule would have to know to be sure of its silence.
void note_open(const Rule& rule, const Case& c, NotChecked& missing) {
  for (const Need need : rule.open(c)) {
    if (missing.missing.empty()) missing.reason = why_not(need, c);
    missing.missing.push_back(name(need));
  }
}

// Who knows and wants a finding knows what it takes in, too.
void note_covered(const Rule& rule, std::string_view key, std::set<std::string>& covered) {
  for (const std::string_view code : rule.covers)
    covered.insert(std::string(code).append(key.substr(rule.code.size())));
}

std::set<std::string> keys_of(const Pass& pass, Severity severity, const Asking* asking) {
  std::set<std::string> keys;
  for (const auto& [rule, complaint] : pass.voiced) {
    const Diagnostic& d = complaint.diagnostic;
    if (d.severity != severity || (asking != nullptr && asking->allows(d.code))) continue;
    keys.insert(finding_key(d));
  }
  return keys;
}

}  // namespace

bool Asking::allows(std::string_view code) const {
  return std::ranges::find(allowed, code) != allowed.end();
}

int causal_stage(std::string_view code) {
  // Of each digit where it stands in the order.
  static constexpr auto kStageOf = [] {
    std::array<int, 10> stages{};
    stages.fill(static_cast<int>(kStages));
    for (std::size_t at = 0; at < kStages; ++at)
      stages[static_cast<std::size_t>(kOrder[at] - '0')] = static_cast<int>(at);
    return stages;
  }();
  const char digit = code.size() > 2 ? code[2] : '9';
  return digit >= '0' && digit <= '9' ? kStageOf[static_cast<std::size_t>(digit - '0')]
                                      : static_cast<int>(kStages);
}

std::vector<const Rule*> in_causal_order(std::span<const Rule* const> rules) {
  // The catalogue is in the order of codes already: a stage is what of it stands together.
  std::array<std::size_t, kStages + 2> begin{};
  for (const Rule* rule : rules) ++begin.at(static_cast<std::size_t>(causal_stage(rule->code)) + 1);
  for (std::size_t stage = 1; stage < begin.size(); ++stage) begin.at(stage) += begin.at(stage - 1);
  std::array<std::size_t, kStages + 2> next = begin;
  std::vector<const Rule*> ordered(rules.size());
  for (const Rule* rule : rules)
    ordered[next.at(static_cast<std::size_t>(causal_stage(rule->code)))++] = rule;
  for (std::size_t stage = 0; stage <= kStages; ++stage) {
    const std::span one(ordered.begin() + static_cast<std::ptrdiff_t>(begin.at(stage)),
                        begin.at(stage + 1) - begin.at(stage));
    if (!std::ranges::is_sorted(one, {}, &Rule::code)) std::ranges::sort(one, {}, &Rule::code);
  }
  return ordered;
}

Pass one_pass(const Asking& asking, const Case& c) {
  Pass pass;
  CaseOnce once(c);
  std::vector<std::pair<Need, std::string_view>> doubts;
  std::set<std::string> covered_by_allowed;  // by code and subject
  const OtherEngine* other = find_other_engine(c.serve.engine);
  for (const Rule* rule : asking.rules) {
    if (!speaks_of(*rule, c.serve.engine, other)) continue;
    if (const auto until = doubted_by(*rule, doubts); !until.empty()) {
      pass.held_back.push_back({rule->code, until});
      continue;
    }
    if (!asking.open && !needs_met(*rule, c)) continue;
    NotChecked missing = asking.open ? lacking(*rule, c) : NotChecked{};
    if (!missing.missing.empty()) {
      pass.not_checked.push_back(std::move(missing));
      continue;
    }
    auto complaints = rule->check(c);
    if (complaints.empty() && asking.open && rule->open != nullptr) note_open(*rule, c, missing);
    if (!missing.missing.empty()) {
      pass.not_checked.push_back(std::move(missing));
      continue;
    }
    ++pass.checked;
    bool error = false;
    for (Complaint& complaint : complaints) {
      if (pass.voiced.size() == kMostDiagnostics) break;
      fill_in(*rule, c, complaint);
      if (!asking.allowed.empty()) {
        const std::string key = finding_key(complaint.diagnostic);
        if (covered_by_allowed.contains(key)) continue;
        if (asking.allows(rule->code)) note_covered(*rule, key, covered_by_allowed);
      }
      error = error || complaint.diagnostic.severity == Severity::Error;
      pass.voiced.push_back({rule, std::move(complaint)});
    }
    if (!error || asking.allows(rule->code)) continue;
    for (const Need doubted : rule->doubts) doubts.emplace_back(doubted, rule->code);
  }
  return pass;
}

std::string finding_key(const Diagnostic& d) { return std::string(d.code) + ' ' + d.subject; }

std::set<std::string> errors_of(const Pass& pass, const Asking& asking) {
  return keys_of(pass, Severity::Error, &asking);
}

std::set<std::string> warnings_of(const Pass& pass) {
  return keys_of(pass, Severity::Warning, nullptr);
}

bool says(const Pass& pass, const Diagnostic& d) {
  return std::ranges::any_of(pass.voiced, [&d](const Voiced& voiced) {
    return voiced.rule->code == d.code && voiced.complaint.diagnostic.subject == d.subject;
  });
}

}  // namespace sx
