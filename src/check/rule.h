// A rule is a value: code, name, what it needs, and a function from a case to what it has to say.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "facts/case.h"
#include "facts/edit_command.h"
#include "facts/need.h"

namespace sx {

// A fix as a rule proposes it: changes to the command. The runner makes the command, asks all rules
// again and keeps the proposal only when this rule's complaint is gone and no new error has come;
// at most three survive, in this order.
struct Proposal {
  Message title;
  std::vector<Change> changes;
  Safety safety = Safety::ChangesBehaviour;
  bool spare = false;  // tried only while no other proposal has stood
  // The same in the user's own text, where other bytes have to change than the changes say (a blank
  // behind a backslash). Nothing: they follow from the changes.
  std::optional<std::vector<Edit>> edits = {};
};

struct Complaint {
  Diagnostic diagnostic;  // code, name and severity are filled in from the rule
  std::vector<Proposal> proposals;
  std::optional<Severity>
      severity;  // this time other than the rule's own: a band that only straddles the limit warns
};

struct Rule {
  std::string_view code;  // "SX2103"
  std::string_view name;  // reads after "allow": "tp-heads-indivisible"
  Severity severity = Severity::Error;
  std::span<const Need> needs;   // unmet: not checked, with the reason
  std::span<const Need> doubts;  // facts that an error of this rule makes doubtful: rules that need
                                 // them are held back
  std::span<const std::string_view>
      covers;  // codes that say the same thing more weakly at the same place
  std::span<const std::string_view> engines;  // it speaks of these only; empty: of all
  std::vector<Complaint> (*check)(const Case& c);
  // Of a rule with many questions: the facts that those need which nothing known answers. Asked
  // only where the rule says nothing; then it is not checked for want of them. Null: `needs` say it
  // all.
  std::vector<Need> (*open)(const Case& c) = nullptr;
};

}  // namespace sx
