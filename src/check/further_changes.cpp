// Rules propose only when they are asked for the first time, so every round asks as if it were.
#include "check/further_changes.h"

#include <algorithm>
#include <utility>

#include "check/run_rules.h"

namespace sx {
namespace {

constexpr int kMostRounds = 4;  // each leaves less wrong

bool subset(const std::set<std::string>& some, const std::set<std::string>& all) {
  return std::ranges::includes(all, some);
}

std::optional<Case> with_one_error_less(const Case& c, const Pass& pass, const Asking& asking,
                                        const MayTry& may_try) {
  const auto errors = errors_of(pass, asking);
  for (const auto& [rule, complaint] : pass.voiced) {
    if (complaint.diagnostic.severity != Severity::Error || asking.allows(rule->code)) continue;
    for (const Proposal& proposal : complaint.proposals) {
      if (!may_try()) return {};
      auto next = asked_again(c, proposal.changes);
      if (!next) continue;
      const auto left = errors_of(one_pass(asking, *next), asking);
      if (left.size() < errors.size() && subset(left, errors)) return next;
    }
  }
  return {};
}

std::optional<Case> with_one_warning_less(const Case& c, const Pass& pass, const Asking& asking,
                                          const Before& before, const MayTry& may_try) {
  const auto errors = errors_of(pass, asking);
  const auto warnings = warnings_of(pass);
  for (const auto& [rule, complaint] : pass.voiced) {
    const std::string key = finding_key(complaint.diagnostic);
    const bool waited = warnings.contains(key) && !before.said.contains(key) &&
                        before.waited.contains(rule->code) && !asking.allows(rule->code);
    if (!waited) continue;
    for (const Proposal& proposal : complaint.proposals) {
      if (proposal.safety == Safety::Trades) continue;
      if (!may_try()) return {};
      auto next = asked_again(c, proposal.changes);
      if (!next) continue;
      const Pass then = one_pass(asking, *next);
      const auto left = warnings_of(then);
      const bool only_better = !left.contains(key) && subset(left, warnings);
      if (only_better && subset(errors_of(then, asking), errors)) return next;
    }
  }
  return {};
}

}  // namespace

std::optional<Case> without_errors(std::optional<Case> now, const Asking& asking,
                                   const MayTry& may_try) {
  for (int round = 0; now && round < kMostRounds; ++round) {
    now->asked_again = false;
    const Pass pass = one_pass(asking, *now);
    if (errors_of(pass, asking).empty()) return now;
    auto next = with_one_error_less(*now, pass, asking, may_try);
    if (!next) return now;
    now = std::move(next);
  }
  return now;
}

std::optional<Case> without_new_warnings(std::optional<Case> now, const Asking& asking,
                                         const Before& before, const MayTry& may_try) {
  bool better = false;
  for (int round = 0; now && round < kMostRounds; ++round) {
    now->asked_again = false;
    auto next = with_one_warning_less(*now, one_pass(asking, *now), asking, before, may_try);
    if (!next) break;
    now = std::move(next);
    better = true;
  }
  return better ? std::move(now) : std::nullopt;
}

}  // namespace sx
