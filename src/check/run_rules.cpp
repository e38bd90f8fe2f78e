// The run of all rules over one case: who speaks, who waits, which fixes stand, in which order it
// is read.
#include "check/run_rules.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/strings.h"
#include "check/further_changes.h"
#include "check/rule_pass.h"
#include "facts/launch_line.h"
#include "fit/model_once.h"
#include "read/written_word.h"

namespace sx {
namespace {

constexpr std::size_t kMostFixes = 3;  // more is a menu, not an answer
constexpr std::size_t kMoreTries =
    3;  // for a fix without new warnings, once there are enough others
constexpr std::size_t kMostBrought = 3;     // warnings told of one fix
constexpr std::size_t kMostProposals = 24;  // tried a complaint; each costs one run of all rules
constexpr std::size_t kMostTrialWords =
    24000;  // read while fixes are tried, over all complaints: 200 trials of a usual launch
constexpr std::size_t kWordsOfARun = 100;  // what one run of the rules costs beside its words
constexpr Text kAllRefused{
    "every change that was tried runs into {codes}; it takes more than one change",
    "试过的每种改法都会触发 {codes}；只改一处不够"};
constexpr Text kOutOfTrials{
    "corrections were sought for the findings before this one; correct those first",
    "只为前面的问题寻找了修正；先修正它们"};

bool subset(const std::set<std::string>& some, const std::set<std::string>& all) {
  return std::ranges::includes(all, some);
}

// A proposal that all rules let stand.
struct Standing {
  Fix fix;
  std::vector<Change> changes;
  std::vector<Brought> fresh;          // warnings that were not there before
  std::set<std::string> keys;          // the same, by code and subject
  std::set<std::string_view> not_run;  // codes of rules that had to wait, or knew too little
  bool own_edits = false;              // the changes do not say which bytes change
};

std::string_view code_of(std::string_view key) { return key.substr(0, key.find(' ')); }

std::set<std::string_view> not_run_in(const Pass& pass) {
  std::set<std::string_view> codes;
  for (const HeldBack& held : pass.held_back) codes.insert(held.code);
  for (const NotChecked& skipped : pass.not_checked) codes.insert(skipped.code);
  return codes;
}

// What waited for the complaint is no fault of a fix where every fix shows it, nor where another
// one leaves an error for which it still waits.
bool shown_alike(const std::string& key, const std::vector<Standing>& standing) {
  const bool by_all =
      std::ranges::all_of(standing, [&key](const Standing& one) { return one.keys.contains(key); });
  return by_all || std::ranges::any_of(standing, [&key](const Standing& one) {
           return one.not_run.contains(code_of(key));
         });
}

bool proposes(const Pass& pass) {
  return std::ranges::any_of(
      pass.voiced, [](const Voiced& voiced) { return !voiced.complaint.proposals.empty(); });
}

class Runner {
 public:
  Runner(Asking asking, const Case& c)
      : asking_(std::move(asking)), case_(c), first_(first_pass()) {
    if (!proposes(first_)) return;  // nothing will be held against them
    errors_ = errors_of(first_, asking_);
    warnings_ = warnings_of(first_);
    not_run_ = not_run_in(first_);
  }

  Outcome outcome() {
    drop_covered();
    Outcome out;
    for (auto& [rule, complaint] : first_.voiced) out.diagnostics.push_back(with_fixes(complaint));
    order(out);
    out.combined = combined();
    out.not_checked = std::move(first_.not_checked);
    out.held_back = std::move(first_.held_back);
    out.checked = first_.checked;
    return out;
  }

 private:
  // Which fix is best hangs on what could not be checked: where there are any, that is asked too.
  Pass first_pass() {
    Pass pass = one_pass(asking_, case_);
    if (asking_.open || !proposes(pass)) return pass;
    asking_.open = true;
    return one_pass(asking_, case_);
  }

  // Hostile launches have many words and many findings; what is tried for them is bounded as a
  // whole.
  bool may_try() {
    words_tried_ += kWordsOfARun + case_.command.words.size();
    return words_tried_ <= kMostTrialWords;
  }

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
    std::vector<Standing> standing;
    std::size_t tried = 0;
    std::size_t further = 0;
    run_into_.clear();
    for (Proposal& proposal : complaint.proposals) {
      const auto clean = static_cast<std::size_t>(
          std::ranges::count_if(standing, [this](const Standing& one) { return is_clean(one); }));
      if (clean == kMostFixes || tried++ == kMostProposals) break;
      if (standing.size() >= kMostFixes && further++ == kMoreTries) break;
      if (proposal.spare && clean > 0) continue;
      if (!may_try()) {
        if (standing.empty()) d.no_fix = kOutOfTrials;
        break;
      }
      if (auto one = stands(proposal, d)) add(standing, *std::move(one));
    }
    take_best(d, std::move(standing));
    if (!d.fixes.empty()) {
      d.no_fix = {};
    } else if (d.no_fix.empty() && !run_into_.empty()) {
      d.no_fix = {kAllRefused, {{"codes", join(run_into_, ", ")}}};
    }
    return d;
  }

  // Asked again with the proposal: the complaint is gone, and no error has come.
  std::optional<Standing> stands(Proposal& proposal, const Diagnostic& d) {
    const auto again = asked_again(case_, proposal.changes);
    if (!again) return {};
    const Pass pass = one_pass(asking_, *again);
    const auto errors = errors_of(pass, asking_);
    if (says(pass, d)) return {};
    if (!subset(errors, errors_)) {
      note_run_into(errors);
      return {};
    }
    EditedCommand edited = edit_command(case_.command, case_.serve, proposal.changes);
    Standing one{.fix = fix_of(edited), .changes = proposal.changes};
    one.fix.title = std::move(proposal.title);
    one.fix.safety = proposal.safety;
    one.own_edits = proposal.edits.has_value();
    if (one.own_edits) one.fix.edits = *std::move(proposal.edits);
    one.fix.clears_errors = errors.empty();
    one.not_run = not_run_in(pass);
    for (const auto& [rule, other] : pass.voiced) {
      const Diagnostic& warning = other.diagnostic;
      if (warning.severity != Severity::Warning) continue;
      std::string key = finding_key(warning);
      if (warnings_.contains(key) || !one.keys.insert(std::move(key)).second) continue;
      one.fresh.push_back({warning.code, warning.title});
    }
    return one;
  }

  // The errors that a proposal would bring.
  void note_run_into(const std::set<std::string>& errors) {
    for (const std::string& key : errors) {
      const std::string code(code_of(key));
      if (errors_.contains(key) || std::ranges::find(run_into_, code) != run_into_.end()) continue;
      if (run_into_.size() < kMostBrought) run_into_.push_back(code);
    }
  }

  static void add(std::vector<Standing>& standing, Standing one) {
    const bool known = std::ranges::any_of(
        standing, [&one](const Standing& other) { return other.fix.command == one.fix.command; });
    if (!known) standing.push_back(std::move(one));
  }

  // Of a command that was edited. Who reads a manifest changes lines in it, no command.
  Fix fix_of(EditedCommand& edited) const {
    using enum Surroundings::Kind;
    const auto kind = case_.around.kind;
    const bool members =
        std::ranges::any_of(case_.command.words, [](const Word& word) { return is_member(word); });
    const bool manifest = members || kind == Compose || kind == Kubernetes || kind == Systemd;
    Fix fix{.title = {}, .command = launch_line(edited.command)};
    fix.edits = std::move(edited.edits);
    fix.by_lines = manifest && case_.command.front.empty() && !fix.edits.empty();
    return fix;
  }

  // It brings nothing that rules which ran before had not said.
  bool is_clean(const Standing& one) const {
    return std::ranges::all_of(
        one.fresh, [this](const Brought& brought) { return not_run_.contains(brought.code); });
  }

  // Fixes without new warnings come first; the others say what they bring.
  void take_best(Diagnostic& d, std::vector<Standing> standing) {
    std::set<std::string> alike;
    for (const Standing& one : standing) {
      for (const std::string& key : one.keys) {
        if (not_run_.contains(code_of(key)) && shown_alike(key, standing)) alike.insert(key);
      }
    }
    for (const bool with_warnings : {false, true}) {
      for (Standing& one : standing) {
        const bool brings = !subset(one.keys, alike);
        if (brings != with_warnings || d.fixes.size() == kMostFixes) continue;
        if (brings) one.fix.brings = told(one, alike);
        if (d.fixes.empty() && d.severity != Severity::Advice && !asking_.allows(d.code))
          first_fixes_.push_back({std::move(one.changes), d.severity, one.fix, one.own_edits});
        d.fixes.push_back(std::move(one.fix));
      }
    }
  }

  static std::vector<Brought> told(const Standing& one, const std::set<std::string>& alike) {
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

  static bool same_target(const Change& a, const Change& b) {
    return a.kind == b.kind && a.name == b.name;
  }

  // The first fix of each finding together; a fix that would spoil the whole is left out.
  Fix combined() {
    if (first_fixes_.empty()) return {};
    if (first_fixes_.size() == 1) return cured(first_fixes_.front().changes).value_or(Fix{});
    std::vector<Change> changes;
    std::size_t taken = 0;
    bool in_place = true;
    std::set<std::string> remaining = errors_;
    for (const auto& [wanted, severity, fix, own_edits] : first_fixes_) {
      // What only warns is not worth another warning, nor a price.
      const bool costs = fix.safety == Safety::Trades || !fix.brings.empty();
      if (severity != Severity::Error && costs) continue;
      std::vector<Change> more = changes;
      for (const Change& change : wanted) {
        const bool decided = std::ranges::any_of(
            changes, [&change](const Change& other) { return same_target(other, change); });
        if (!decided) more.push_back(change);
      }
      if (!may_try()) break;
      const auto again = asked_again(case_, more);
      if (!again) continue;
      auto errors = errors_of(one_pass(asking_, *again), asking_);
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
    EditedCommand edited = edit_command(case_.command, case_.serve, changes);
    if (!in_place) edited.edits.clear();
    Fix whole = fix_of(edited);
    whole.clears_errors = remaining.empty();
    whole.brings = std::move(brought_);
    return whole;
  }

  // What one fix asked for may be pointless once another stands: more GPUs for a layout that has
  // become smaller. A change without which nothing more is wrong, not even mildly, is left out.
  std::vector<Change> only_needed(std::vector<Change> changes, const std::set<std::string>& left) {
    const auto whole = asked_again(case_, changes);
    if (!whole) return changes;
    const Pass with_all = one_pass(asking_, *whole);
    const std::size_t findings = with_all.voiced.size();
    note_brought(with_all);
    for (std::size_t i = 0; i < changes.size() && changes.size() > 1;) {
      std::vector<Change> fewer = changes;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (!may_try()) break;
      const auto again = asked_again(case_, fewer);
      const Pass pass = again ? one_pass(asking_, *again) : Pass{};
      const bool as_good =
          again && subset(errors_of(pass, asking_), left) && pass.voiced.size() <= findings;
      if (as_good) {
        changes = std::move(fewer);
        note_brought(pass);
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
      const bool fresh = d.severity == Severity::Warning && !not_run_.contains(d.code) &&
                         !warnings_.contains(finding_key(d));
      if (fresh && brought_.size() < kMostBrought) brought_.push_back({d.code, d.title});
    }
  }

  // First fixes can want different values of one flag, and a rule that waited for an error may warn
  // once that is mended: what is still wrong is mended in its turn.
  std::optional<Fix> further(std::optional<Case> now) const {
    if (!now) return {};
    return Fix{.title = {},
               .command = launch_line(now->command),
               .safety = Safety::ChangesBehaviour,
               .edits = {},
               .clears_errors = errors_of(one_pass(asking_, *now), asking_).empty()};
  }

  std::optional<Fix> mended(const std::vector<Change>& changes) {
    return further(
        without_errors(asked_again(case_, changes), asking_, [this] { return may_try(); }));
  }

  std::optional<Fix> cured(const std::vector<Change>& changes) {
    if (errors_.empty() || first_.held_back.empty()) return {};
    return further(without_new_warnings(asked_again(case_, changes), asking_,
                                        {.said = warnings_, .waited = not_run_},
                                        [this] { return may_try(); }));
  }

  struct FirstFix {
    std::vector<Change> changes;
    Severity severity;
    Fix fix;
    bool own_edits = false;
  };

  Asking asking_;
  const Case& case_;
  Pass first_;
  // Of the first pass, by code and subject; all three are left empty where it proposes nothing.
  std::set<std::string> errors_, warnings_;
  std::set<std::string_view> not_run_;  // codes of rules that had to wait, or knew too little
  std::vector<std::string> run_into_;   // codes that refused proposals of one finding bring
  std::vector<Brought> brought_;        // by the combined command
  std::vector<FirstFix> first_fixes_;
  std::size_t words_tried_ = 0;
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
