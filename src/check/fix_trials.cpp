// A fix stands when its complaint is gone and no error has come in its place.
#include "check/fix_trials.h"

#include <algorithm>

#include "check/run_rules.h"
#include "facts/edit_command.h"
#include "facts/launch_line.h"
#include "read/written_word.h"

namespace sx {
namespace {

constexpr std::size_t kMostRunInto = 3;  // codes told of one finding
constexpr std::size_t kMostTrialWords =
    24000;  // read while fixes are tried, over all complaints: 200 trials of a usual launch
constexpr std::size_t kWordsOfARun = 100;  // what one run of the rules costs beside its words

std::set<std::string_view> not_run_in(const Pass& pass) {
  std::set<std::string_view> codes;
  for (const HeldBack& held : pass.held_back) codes.insert(held.code);
  for (const NotChecked& skipped : pass.not_checked) codes.insert(skipped.code);
  return codes;
}

bool proposes(const Pass& pass) {
  return std::ranges::any_of(
      pass.voiced, [](const Voiced& voiced) { return !voiced.complaint.proposals.empty(); });
}

}  // namespace

std::string_view code_of(std::string_view key) { return key.substr(0, key.find(' ')); }

bool subset(const std::set<std::string>& some, const std::set<std::string>& all) {
  return std::ranges::includes(all, some);
}

FixTrials::FixTrials(Asking asking, const Case& c) : first(), asking_(std::move(asking)), case_(c) {
  first = first_pass();
  if (!proposes(first)) return;
  errors = errors_of(first, asking_);
  warnings = warnings_of(first);
  not_run = not_run_in(first);
}

// Which fix is best hangs on what could not be checked: where there are any, that is asked too.
Pass FixTrials::first_pass() {
  Pass pass = one_pass(asking_, case_);
  if (asking_.open || !proposes(pass)) return pass;
  asking_.open = true;
  return one_pass(asking_, case_);
}

bool FixTrials::may_try() {
  words_tried_ += kWordsOfARun + case_.command.words.size();
  return words_tried_ <= kMostTrialWords;
}

std::optional<Pass> FixTrials::again(const std::vector<Change>& changes) const {
  const auto changed = asked_again(case_, changes);
  if (!changed) return {};
  return one_pass(asking_, *changed);
}

std::optional<StandingFix> FixTrials::stands(Proposal& proposal, const Diagnostic& d,
                                             std::vector<std::string>& run_into) const {
  const auto pass = again(proposal.changes);
  if (!pass) return {};
  const auto met = errors_of(*pass, asking_);
  if (says(*pass, d)) return {};
  if (!subset(met, errors)) {
    note_run_into(met, run_into);
    return {};
  }
  StandingFix one{.fix = fix_of(proposal.changes), .changes = proposal.changes};
  one.fix.title = std::move(proposal.title);
  one.fix.safety = proposal.safety;
  one.own_edits = proposal.edits.has_value();
  if (one.own_edits) one.fix.edits = *std::move(proposal.edits);
  one.fix.clears_errors = met.empty();
  one.not_run = not_run_in(*pass);
  for (const auto& [rule, other] : pass->voiced) {
    const Diagnostic& warning = other.diagnostic;
    if (warning.severity != Severity::Warning) continue;
    std::string key = finding_key(warning);
    if (warnings.contains(key) || !one.keys.insert(std::move(key)).second) continue;
    one.fresh.push_back({warning.code, warning.title});
  }
  return one;
}

void FixTrials::note_run_into(const std::set<std::string>& met,
                              std::vector<std::string>& run_into) const {
  for (const std::string& key : met) {
    const std::string code(code_of(key));
    if (errors.contains(key) || std::ranges::find(run_into, code) != run_into.end()) continue;
    if (run_into.size() < kMostRunInto) run_into.push_back(code);
  }
}

// Who reads a manifest changes lines in it, no command.
Fix FixTrials::fix_of(const std::vector<Change>& changes) const {
  EditedCommand edited = edit_command(case_.command, case_.serve, changes);
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

}  // namespace sx
