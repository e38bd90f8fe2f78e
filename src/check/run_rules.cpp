// The run of all rules over one case: who speaks, which fixes stand, in which order it is read.
#include "check/run_rules.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/strings.h"
#include "check/combined_fix.h"
#include "check/fix_trials.h"
#include "fit/model_once.h"

namespace sx {
namespace {

constexpr std::size_t kMostFixes = 3;  // more is a menu, not an answer
constexpr std::size_t kMoreTries =
    3;  // for a fix without new warnings, once there are enough others
constexpr std::size_t kMostProposals = 24;  // tried a complaint; each costs one run of all rules
constexpr Text kAllRefused{
    "every change that was tried runs into {codes}; it takes more than one change",
    "试过的每种改法都会触发 {codes}；只改一处不够"};
constexpr Text kOutOfTrials{
    "corrections were sought for the findings before this one; correct those first",
    "只为前面的问题寻找了修正；先修正它们"};

// What waited for the complaint is no fault of a fix where every fix shows it, nor where another
// one leaves an error for which it still waits.
bool shown_alike(const std::string& key, const std::vector<StandingFix>& standing) {
  const bool by_all = std::ranges::all_of(
      standing, [&key](const StandingFix& one) { return one.keys.contains(key); });
  return by_all || std::ranges::any_of(standing, [&key](const StandingFix& one) {
           return one.not_run.contains(code_of(key));
         });
}

class Runner {
 public:
  Runner(Asking asking, const Case& c) : trials_(std::move(asking), c), first_(trials_.first) {}

  Outcome outcome() {
    drop_covered();
    Outcome out;
    for (auto& [rule, complaint] : first_.voiced) out.diagnostics.push_back(with_fixes(complaint));
    order(out);
    out.combined = combined_fix(trials_, first_fixes_);
    out.not_checked = std::move(first_.not_checked);
    out.held_back = std::move(first_.held_back);
    out.checked = first_.checked;
    return out;
  }

 private:
  // The specific complaint hides the general one at the same place.
  void drop_covered() {
    const auto covered = [this](const Voiced& weak) {
      return std::ranges::any_of(first_.voiced, [&weak](const Voiced& strong) {
        const auto& codes = strong.rule->covers;
        return std::ranges::find(codes, weak.rule->code) != codes.end() &&
               strong.complaint.diagnostic.subject == weak.complaint.diagnostic.subject;
      });
    };
    std::erase_if(first_.voiced, covered);
  }

  Diagnostic with_fixes(Complaint& complaint) {
    Diagnostic d = std::move(complaint.diagnostic);
    std::vector<StandingFix> standing;
    std::size_t tried = 0;
    std::size_t further = 0;
    std::vector<std::string> run_into;
    for (Proposal& proposal : complaint.proposals) {
      const auto clean = static_cast<std::size_t>(std::ranges::count_if(
          standing, [this](const StandingFix& one) { return is_clean(one); }));
      if (clean == kMostFixes || tried++ == kMostProposals) break;
      if (standing.size() >= kMostFixes && further++ == kMoreTries) break;
      if (proposal.spare && clean > 0) continue;
      if (!trials_.may_try()) {
        if (standing.empty()) d.no_fix = kOutOfTrials;
        break;
      }
      if (auto one = trials_.stands(proposal, d, run_into)) add(standing, *std::move(one));
    }
    take_best(d, std::move(standing));
    if (!d.fixes.empty()) {
      d.no_fix = {};
    } else if (d.no_fix.empty() && !run_into.empty()) {
      d.no_fix = {kAllRefused, {{"codes", join(run_into, ", ")}}};
    }
    return d;
  }

  static void add(std::vector<StandingFix>& standing, StandingFix one) {
    const bool known = std::ranges::any_of(standing, [&one](const StandingFix& other) {
      return other.fix.command == one.fix.command;
    });
    if (!known) standing.push_back(std::move(one));
  }

  // It brings nothing that rules which ran before had not said.
  bool is_clean(const StandingFix& one) const {
    return std::ranges::all_of(one.fresh, [this](const Brought& brought) {
      return trials_.not_run.contains(brought.code);
    });
  }

  // Fixes without new warnings come first; the others say what they bring.
  void take_best(Diagnostic& d, std::vector<StandingFix> standing) {
    std::set<std::string> alike;
    for (const StandingFix& one : standing) {
      for (const std::string& key : one.keys) {
        if (trials_.not_run.contains(code_of(key)) && shown_alike(key, standing)) alike.insert(key);
      }
    }
    for (const bool with_warnings : {false, true}) {
      for (StandingFix& one : standing) {
        const bool brings = !subset(one.keys, alike);
        if (brings != with_warnings || d.fixes.size() == kMostFixes) continue;
        if (brings) one.fix.brings = told(one, alike);
        if (d.fixes.empty() && d.severity != Severity::Advice && !trials_.asking().allows(d.code))
          first_fixes_.push_back({std::move(one.changes), d.severity, one.fix, one.own_edits});
        d.fixes.push_back(std::move(one.fix));
      }
    }
  }

  static std::vector<Brought> told(const StandingFix& one, const std::set<std::string>& alike) {
    std::vector<Brought> out;
    for (const Brought& brought : one.fresh) {
      const std::string code(brought.code);
      const bool of_all = std::ranges::any_of(
          alike, [&code](const std::string& key) { return key.starts_with(code + ' '); });
      if (!of_all && out.size() < kMostBrought) out.push_back(brought);
    }
    return out;
  }

  void order(Outcome& out) const {
    const auto key = [](const Diagnostic& d) {
      const std::size_t place = d.labels.empty() ? 0 : d.labels.front().span.begin;
      return std::tuple(causal_stage(d.code), d.severity, place, d.code);
    };
    std::vector<std::size_t> index(out.diagnostics.size());
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = i;
    std::ranges::sort(index, [&](std::size_t a, std::size_t b) {
      return std::pair(key(out.diagnostics[a]), a) < std::pair(key(out.diagnostics[b]), b);
    });
    std::vector<Diagnostic> ordered;
    for (const std::size_t i : index) ordered.push_back(std::move(out.diagnostics[i]));
    out.diagnostics = std::move(ordered);
  }

  FixTrials trials_;
  Pass& first_;
  std::vector<FirstFix> first_fixes_;
};

}  // namespace

Outcome run_rules(std::span<const Rule* const> rules, const Case& c,
                  std::vector<std::string> allowed) {
  const ModelOnce once(c.model());
  return Runner({in_causal_order(rules), std::move(allowed)}, c).outcome();
}

std::vector<Diagnostic> findings_of(std::span<const Rule* const> ordered, const Case& c) {
  const ModelOnce once(c.model());
  return Runner({.rules = {ordered.begin(), ordered.end()}, .allowed = {}, .open = false}, c)
      .outcome()
      .diagnostics;
}

bool any_at_least(const Outcome& outcome, Severity severity) {
  return std::ranges::any_of(outcome.diagnostics,
                             [severity](const Diagnostic& d) { return d.severity <= severity; });
}

}  // namespace sx
