// The asking of the rules: once of the case as it is, and again with each change that is proposed.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check/rule_pass.h"

namespace sx {

constexpr std::size_t kMostBrought = 3;  // warnings told of one fix

// A proposal that all rules let stand.
struct StandingFix {
  Fix fix;
  std::vector<Change> changes;
  std::vector<Brought> fresh;          // warnings that were not there before
  std::set<std::string> keys;          // the same, by code and subject
  std::set<std::string_view> not_run;  // codes of rules that had to wait, or knew too little
  bool own_edits = false;              // the changes do not say which bytes change
};

// The code of a finding's key.
std::string_view code_of(std::string_view key);
bool subset(const std::set<std::string>& some, const std::set<std::string>& all);

class FixTrials {
 public:
  // Asks at once; `c` outlives it.
  FixTrials(Asking asking, const Case& c);

  Pass first;  // of the case as it is
  // Of the first pass, by code and subject; all three are empty where it proposes nothing: nothing
  // will be held against them.
  std::set<std::string> errors, warnings;
  std::set<std::string_view> not_run;  // codes of rules that had to wait, or knew too little

  const Asking& asking() const { return asking_; }
  const Case& asked() const { return case_; }

  // Hostile launches have many words and many findings; what is tried for them is bounded as a
  // whole. False: nothing more may be asked.
  bool may_try();
  // With the changes; nothing when they leave no launch.
  std::optional<Pass> again(const std::vector<Change>& changes) const;
  // Asked again with the proposal: the complaint is gone, and no error has come. Codes of errors
  // that would come go into `run_into`.
  std::optional<StandingFix> stands(Proposal& proposal, const Diagnostic& d,
                                    std::vector<std::string>& run_into) const;
  // What the changes make of the command, ready to be shown.
  Fix fix_of(const std::vector<Change>& changes) const;

 private:
  Pass first_pass();
  void note_run_into(const std::set<std::string>& met, std::vector<std::string>& run_into) const;

  Asking asking_;
  const Case& case_;
  std::size_t words_tried_ = 0;
};

}  // namespace sx
