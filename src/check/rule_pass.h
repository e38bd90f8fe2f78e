// One pass of all rules over one case: who speaks, who waits, who could not be asked. No fixes yet.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/rule.h"
#include "diag/outcome.h"

namespace sx {

// Rules in causal order, and the codes of findings that the user knows and wants: such an error is
// none for the others, so nothing waits for it.
struct Asking {
  std::vector<const Rule*> rules;
  std::vector<std::string> allowed;
  // Whether it matters what rules lack: those that cannot be asked, and silent ones that are not
  // sure. Without it nothing is told of them.
  bool open = true;

  bool allows(std::string_view code) const;
};

struct Voiced {
  const Rule* rule = nullptr;
  Complaint complaint;
};

struct Pass {
  std::vector<Voiced> voiced;
  std::vector<NotChecked> not_checked;
  std::vector<HeldBack> held_back;
  int checked = 0;
};

// Causal order of the families: command, model, layout, memory, machine, links, serving, exposure.
int causal_stage(std::string_view code);
std::vector<const Rule*> in_causal_order(std::span<const Rule* const> rules);

Pass one_pass(const Asking& asking, const Case& c);

// Findings by code and subject: errors without those that are allowed, or warnings.
std::set<std::string> errors_of(const Pass& pass, const Asking& asking);
std::set<std::string> warnings_of(const Pass& pass);
std::string finding_key(const Diagnostic& d);

bool says(const Pass& pass, const Diagnostic& d);

}  // namespace sx
