// A fix that would spoil the whole is left out of it, and what is still wrong then is mended in its
// turn.
#include "check/combined_fix.h"

#include <algorithm>

#include "check/further_changes.h"
#include "check/run_rules.h"
#include "facts/launch_line.h"

namespace sx {
namespace {

class Combining {
 public:
  explicit Combining(FixTrials& trials) : trials_(trials) {}

  // The first fix of each finding together; a fix that would spoil the whole is left out.
  Fix combined(const std::vector<FirstFix>& wanted) {
    if (wanted.empty()) return {};
    if (wanted.size() == 1) return cured(wanted.front().changes).value_or(Fix{});
    std::vector<Change> changes;
    std::size_t taken = 0;
    bool in_place = true;
    std::set<std::string> remaining = trials_.errors;
    for (const auto& [more_changes, severity, fix, own_edits] : wanted) {
      // What only warns is not worth another warning, nor a price.
      const bool costs = fix.safety == Safety::Trades || !fix.brings.empty();
      if (severity != Severity::Error && costs) continue;
      std::vector<Change> more = changes;
      for (const Change& change : more_changes) {
        const bool decided = std::ranges::any_of(
            changes, [&change](const Change& other) { return same_target(other, change); });
        if (!decided) more.push_back(change);
      }
      if (!trials_.may_try()) break;
      const auto again = trials_.again(more);
      if (!again) continue;
      auto errors = errors_of(*again, trials_.asking());
      if (!subset(errors, remaining)) continue;
      remaining = std::move(errors);
      changes = std::move(more);
      in_place = in_place && !own_edits;
      ++taken;
    }
    changes = only_needed(std::move(changes), remaining);
    if (!remaining.empty()) {
      if (auto whole = mended(changes); whole && whole->clears_errors) return *std::move(whole);
    }
    if (auto more = cured(changes)) return *std::move(more);
    if (taken < 2) return {};
    Fix whole = trials_.fix_of(changes);
    if (!in_place) {
      whole.edits.clear();
      whole.by_lines = false;
    }
    whole.clears_errors = remaining.empty();
    whole.brings = std::move(brought_);
    return whole;
  }

 private:
  static bool same_target(const Change& a, const Change& b) {
    return a.kind == b.kind && a.name == b.name;
  }

  // What one fix asked for may be pointless once another stands: more GPUs for a layout that has
  // become smaller. A change without which nothing more is wrong, not even mildly, is left out.
  std::vector<Change> only_needed(std::vector<Change> changes, const std::set<std::string>& left) {
    const auto with_all = trials_.again(changes);
    if (!with_all) return changes;
    const std::size_t findings = with_all->voiced.size();
    note_brought(*with_all);
    for (std::size_t i = 0; i < changes.size() && changes.size() > 1;) {
      std::vector<Change> fewer = changes;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (!trials_.may_try()) break;
      const auto again = trials_.again(fewer);
      const bool as_good = again && subset(errors_of(*again, trials_.asking()), left) &&
                           again->voiced.size() <= findings;
      if (as_good) {
        changes = std::move(fewer);
        note_brought(*again);
      } else {
        ++i;
      }
    }
    return changes;
  }

  // New warnings of rules that had run before: of the combined command.
  void note_brought(const Pass& pass) {
    brought_.clear();
    for (const auto& [rule, complaint] : pass.voiced) {
      const Diagnostic& d = complaint.diagnostic;
      const bool fresh = d.severity == Severity::Warning && !trials_.not_run.contains(d.code) &&
                         !trials_.warnings.contains(finding_key(d));
      if (fresh && brought_.size() < kMostBrought) brought_.push_back({d.code, d.title});
    }
  }

  // First fixes can want different values of one flag, and a rule that waited for an error may warn
  // once that is mended: what is still wrong is mended in its turn.
  std::optional<Fix> further(std::optional<Case> now) const {
    if (!now) return {};
    return Fix{
        .title = {},
        .command = launch_line(now->command),
        .safety = Safety::ChangesBehaviour,
        .edits = {},
        .clears_errors = errors_of(one_pass(trials_.asking(), *now), trials_.asking()).empty()};
  }

  std::optional<Fix> mended(const std::vector<Change>& changes) {
    return further(without_errors(asked_again(trials_.asked(), changes), trials_.asking(),
                                  [this] { return trials_.may_try(); }));
  }

  std::optional<Fix> cured(const std::vector<Change>& changes) {
    if (trials_.errors.empty() || trials_.first.held_back.empty()) return {};
    return further(without_new_warnings(asked_again(trials_.asked(), changes), trials_.asking(),
                                        {.said = trials_.warnings, .waited = trials_.not_run},
                                        [this] { return trials_.may_try(); }));
  }

  FixTrials& trials_;
  std::vector<Brought> brought_;  // new warnings, by the combined command
};

}  // namespace

Fix combined_fix(FixTrials& trials, const std::vector<FirstFix>& first_fixes) {
  return Combining(trials).combined(first_fixes);
}

}  // namespace sx
