// The rule that has the name of the cause knows its fixes; other causes have changes in their row.
#include "cli/diagnose_fixes.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "check/constraint_words.h"
#include "check/run_rules.h"
#include "check/secrets.h"
#include "cli/check.h"
#include "cli/diagnose_change.h"
#include "knowledge/causes.h"
#include "read/shell_words.h"
#include "rules/all.h"

namespace sx {
namespace {

constexpr std::size_t kMostFixes = 2;

std::set<std::string_view> errors_of(const Outcome& outcome) {
  std::set<std::string_view> codes;
  for (const Diagnostic& d : outcome.diagnostics) {
    if (d.severity == Severity::Error) codes.insert(d.code);
  }
  return codes;
}

// <name> of a change is a number that the log told.
std::string with_numbers(std::string_view change, const LogEvent& event) {
  std::string out(change);
  for (const auto& [name, value] : event.captures) {
    const bool whole = value.ends_with(".0");  // vLLM writes a derived length so
    out = replaced(out, '<' + name + '>', whole ? value.substr(0, value.size() - 2) : value);
  }
  return out;
}

// The command with a change, when no rule finds a new error in it.
std::optional<Fix> changed_launch(std::string_view change, const Case& c,
                                  const std::set<std::string_view>& before) {
  const auto helps = change_for(change, c);
  if (!helps) return {};
  auto proposal = said_fix(c, *helps);
  if (!proposal) return {};
  const auto changed = asked_again(c, proposal->changes);
  if (!changed || one_line(changed->command) == one_line(c.command)) return {};
  const Outcome after = run_rules(rules::all(), *changed);
  if (!std::ranges::includes(before, errors_of(after))) return {};
  return Fix{.title = std::move(proposal->title),
             .command = without_secrets(one_line(changed->command), secrets_of(*changed)),
             .safety = Safety::Trades,
             .edits = {}};
}

void try_change(CauseAnswer& cause, std::string_view change, const Case& c,
                const std::set<std::string_view>& before) {
  const std::string filled = with_numbers(change, cause.found.root);
  if (filled.contains('<')) return;
  if (auto fix = changed_launch(filled, c, before)) cause.fixes.push_back(*std::move(fix));
}

// What the rule of that name proposes for the launch.
void take_fixes(CauseAnswer& cause, std::string_view rule, const Outcome& outcome) {
  for (const Diagnostic& d : outcome.diagnostics) {
    if (d.name == rule) cause.fixes.insert(cause.fixes.end(), d.fixes.begin(), d.fixes.end());
  }
}

void take_changes(CauseAnswer& cause, const CauseRow& row, const Case& c, const Outcome& outcome) {
  const auto before = errors_of(outcome);
  for (const auto part : split(row.changes, ';')) {
    const auto change = trimmed(part);
    if (cause.fixes.size() >= kMostFixes || change.empty()) continue;
    if (const auto rule = rule_meant(change); !rule.empty()) {
      take_fixes(cause, rule, outcome);
    } else {
      try_change(cause, change, c, before);
    }
  }
}

}  // namespace

void add_fixes(DiagnoseAnswer& answer, const Case& c, Language language) {
  if (answer.causes.empty()) return;
  const LaunchAnswer checked = answer_of(c, false, language);
  for (CauseAnswer& cause : answer.causes) {
    if (cause.found.earlier) continue;  // of another command, as far as is known
    take_fixes(cause, cause.found.name, checked.outcome);
    const CauseRow* const row = find_cause(cause.found.name);
    if (row != nullptr && cause.fixes.empty()) take_changes(cause, *row, c, checked.outcome);
  }
}

std::optional<std::string> launch_with(std::string_view change, const Case& c) {
  const auto fix = changed_launch(change, c, errors_of(run_rules(rules::all(), c)));
  if (!fix) return {};
  return fix->command;
}

}  // namespace sx
