// The run of all rules over one case: who speaks, who waits, which fixes stand, in which order it
// is read.
#include "check/run_rules.h"

#include <algorithm>
#include <set>
#include <string>

#include "engines/engine.h"
#include "knowledge/other_engines.h"
#include "read/shell_words.h"

namespace sx {
namespace {

constexpr std::size_t kMostDiagnostics = 200;  // a hostile command must not print a book
constexpr std::size_t kMostFixes = 3;          // more is a menu, not an answer
constexpr int kMostRounds = 4;  // of mending a combined command; each leaves fewer errors
constexpr std::size_t kMostProposals = 24;  // tried a complaint; each costs one run of all rules
constexpr std::size_t kMostTrialWords =
    24000;  // read while fixes are tried, over all complaints: 200 trials of a usual launch
constexpr std::size_t kWordsOfARun = 100;  // what one run of the rules costs beside its words
constexpr Text kOutOfTrials{
    "corrections were sought for the findings before this one; correct those first",
    "只为前面的问题寻找了修正；先修正它们"};

// Causal order of the families: command, model, layout, memory, machine, links, serving, exposure.
int stage(std::string_view code) {
  constexpr std::string_view kOrder = "14235678";
  const auto at = kOrder.find(code.size() > 2 ? code[2] : '9');
  return static_cast<int>(at == std::string_view::npos ? kOrder.size() : at);
}

std::vector<const Rule*> in_causal_order(std::span<const Rule* const> rules) {
  std::vector<const Rule*> ordered(rules.begin(), rules.end());
  std::ranges::sort(ordered, {},
                    [](const Rule* rule) { return std::pair(stage(rule->code), rule->code); });
  return ordered;
}

struct Voiced {
  const Rule* rule = nullptr;
  Complaint complaint;
};

// One pass: no fixes yet.
struct Pass {
  std::vector<Voiced> voiced;
  std::vector<NotChecked> not_checked;
  std::vector<HeldBack> held_back;
  int checked = 0;
};

// A need that rests on another one is as doubtful as that.
bool rests_on(Need need, Need doubted) {
  if (need == doubted) return true;
  if (need == Need::Layout && doubted == Need::ParallelSizes) return true;
  return need == Need::MemoryBudget &&
         (doubted == Need::Layout || doubted == Need::ParallelSizes ||
          doubted == Need::VisibleDevices || doubted == Need::HostGpuMemory ||
          doubted == Need::ModelShape);
}

// Of an engine that is only recognised speak rules that name it, and those that its row names.
bool speaks_of(const Rule& rule, std::string_view engine) {
  if (const OtherEngine* other = find_other_engine(engine)) {
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

// What a silent rule would have to know to be sure of its silence.
void note_open(const Rule& rule, const Case& c, NotChecked& missing) {
  for (const Need need : rule.open(c)) {
    if (missing.missing.empty()) missing.reason = why_not(need, c);
    missing.missing.push_back(name(need));
  }
}

Pass one_pass(const std::vector<const Rule*>& rules, const Case& c) {
  Pass pass;
  std::vector<std::pair<Need, std::string_view>> doubts;
  for (const Rule* rule : rules) {
    if (!speaks_of(*rule, c.serve.engine)) continue;
    if (const auto until = doubted_by(*rule, doubts); !until.empty()) {
      pass.held_back.push_back({rule->code, until});
      continue;
    }
    NotChecked missing{.code = rule->code, .name = rule->name, .missing = {}, .reason = {}};
    for (const Need need : rule->needs) {
      if (met(need, c)) continue;
      if (missing.missing.empty()) missing.reason = why_not(need, c);
      missing.missing.push_back(name(need));
    }
    if (!missing.missing.empty()) {
      pass.not_checked.push_back(std::move(missing));
      continue;
    }
    auto complaints = rule->check(c);
    if (complaints.empty() && rule->open != nullptr) note_open(*rule, c, missing);
    if (!missing.missing.empty()) {
      pass.not_checked.push_back(std::move(missing));
      continue;
    }
    ++pass.checked;
    bool error = false;
    for (Complaint& complaint : complaints) {
      if (pass.voiced.size() == kMostDiagnostics) break;
      fill_in(*rule, c, complaint);
      error = error || complaint.diagnostic.severity == Severity::Error;
      pass.voiced.push_back({rule, std::move(complaint)});
    }
    if (!error) continue;
    for (const Need doubted : rule->doubts) doubts.emplace_back(doubted, rule->code);
  }
  return pass;
}

std::set<std::string> errors_of(const Pass& pass) {
  std::set<std::string> errors;
  for (const auto& [rule, complaint] : pass.voiced) {
    if (complaint.diagnostic.severity != Severity::Error) continue;
    errors.insert(std::string(rule->code) + ' ' + complaint.diagnostic.subject);
  }
  return errors;
}

bool says(const Pass& pass, const Diagnostic& d) {
  return std::ranges::any_of(pass.voiced, [&d](const Voiced& voiced) {
    return voiced.rule->code == d.code && voiced.complaint.diagnostic.subject == d.subject;
  });
}

bool subset(const std::set<std::string>& some, const std::set<std::string>& all) {
  return std::ranges::includes(all, some);
}

class Runner {
 public:
  Runner(std::vector<const Rule*> rules, const Case& c)
      : rules_(std::move(rules)),
        case_(c),
        first_(one_pass(rules_, c)),
        errors_(errors_of(first_)) {}

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
    std::size_t tried = 0;
    for (Proposal& proposal : complaint.proposals) {
      if (d.fixes.size() == kMostFixes || tried++ == kMostProposals) break;
      if (proposal.spare && !d.fixes.empty()) continue;
      if (!may_try()) {
        if (d.fixes.empty()) d.no_fix = kOutOfTrials;
        break;
      }
      const auto again = asked_again(case_, proposal.changes);
      if (!again) continue;
      const Pass pass = one_pass(rules_, *again);
      const auto errors = errors_of(pass);
      if (says(pass, d) || !subset(errors, errors_)) continue;
      EditedCommand edited = edit_command(case_.command, case_.serve, proposal.changes);
      Fix fix{.title = std::move(proposal.title),
              .command = one_line(edited.command),
              .safety = proposal.safety,
              .edits = std::move(edited.edits),
              .clears_errors = errors.empty()};
      if (std::ranges::any_of(d.fixes,
                              [&fix](const Fix& other) { return other.command == fix.command; }))
        continue;
      if (d.fixes.empty() && d.severity != Severity::Advice)
        first_fixes_.push_back({proposal.changes, d.severity, fix});
      d.fixes.push_back(std::move(fix));
    }
    if (!d.fixes.empty()) d.no_fix = {};
    return d;
  }

  void order(Outcome& out) const {
    const auto key = [](const Diagnostic& d) {
      const std::size_t place = d.labels.empty() ? 0 : d.labels.front().span.begin;
      return std::tuple(stage(d.code), d.severity, place, d.code);
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
    if (first_fixes_.size() < 2) return {};
    std::vector<Change> changes;
    std::size_t taken = 0;
    std::set<std::string> remaining = errors_;
    for (const auto& [wanted, severity, fix] : first_fixes_) {
      if (severity != Severity::Error && fix.safety == Safety::Trades) continue;
      std::vector<Change> more = changes;
      for (const Change& change : wanted) {
        const bool decided = std::ranges::any_of(
            changes, [&change](const Change& other) { return same_target(other, change); });
        if (!decided) more.push_back(change);
      }
      if (!may_try()) break;
      const auto again = asked_again(case_, more);
      if (!again) continue;
      auto errors = errors_of(one_pass(rules_, *again));
      if (!subset(errors, remaining)) continue;
      remaining = std::move(errors);
      changes = std::move(more);
      ++taken;
    }
    changes = only_needed(std::move(changes), remaining);
    if (!remaining.empty()) {
      if (Fix whole = mended(changes); whole.clears_errors) return whole;
    }
    if (taken < 2) return {};
    EditedCommand edited = edit_command(case_.command, case_.serve, changes);
    return {.title = {},
            .command = one_line(edited.command),
            .safety = Safety::ChangesBehaviour,
            .edits = std::move(edited.edits),
            .clears_errors = remaining.empty()};
  }

  // What one fix asked for may be pointless once another stands: more GPUs for a layout that has
  // become smaller. A change without which nothing more is wrong, not even mildly, is left out.
  std::vector<Change> only_needed(std::vector<Change> changes, const std::set<std::string>& left) {
    const auto whole = asked_again(case_, changes);
    if (!whole) return changes;
    const std::size_t findings = one_pass(rules_, *whole).voiced.size();
    for (std::size_t i = 0; i < changes.size() && changes.size() > 1;) {
      std::vector<Change> fewer = changes;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (!may_try()) break;
      const auto again = asked_again(case_, fewer);
      const Pass pass = again ? one_pass(rules_, *again) : Pass{};
      const bool as_good = again && subset(errors_of(pass), left) && pass.voiced.size() <= findings;
      if (as_good) {
        changes = std::move(fewer);
      } else {
        ++i;
      }
    }
    return changes;
  }

  // First fixes can want different values of one flag. Then what is still wrong with the command
  // that some of them made is mended in its turn, until no error is left or nothing helps.
  Fix mended(const std::vector<Change>& changes) {
    auto now = asked_again(case_, changes);
    for (int round = 0; now && round < kMostRounds; ++round) {
      now->asked_again = false;  // rules propose only when they are asked for the first time
      const Pass pass = one_pass(rules_, *now);
      if (errors_of(pass).empty()) {
        return {.title = {},
                .command = one_line(now->command),
                .safety = Safety::ChangesBehaviour,
                .edits = {},
                .clears_errors = true};
      }
      now = with_one_error_less(*now, pass);
    }
    return {};
  }

  std::optional<Case> with_one_error_less(const Case& c, const Pass& pass) {
    const auto errors = errors_of(pass);
    for (const auto& [rule, complaint] : pass.voiced) {
      if (complaint.diagnostic.severity != Severity::Error) continue;
      for (const Proposal& proposal : complaint.proposals) {
        if (!may_try()) return {};
        auto next = asked_again(c, proposal.changes);
        if (!next) continue;
        const auto left = errors_of(one_pass(rules_, *next));
        if (left.size() < errors.size() && subset(left, errors)) return next;
      }
    }
    return {};
  }

  struct FirstFix {
    std::vector<Change> changes;
    Severity severity;
    Fix fix;
  };

  std::vector<const Rule*> rules_;
  const Case& case_;
  Pass first_;
  std::set<std::string> errors_;
  std::vector<FirstFix> first_fixes_;
  std::size_t words_tried_ = 0;
};

}  // namespace

Outcome run_rules(std::span<const Rule* const> rules, const Case& c) {
  return Runner(in_causal_order(rules), c).outcome();
}

bool any_at_least(const Outcome& outcome, Severity severity) {
  return std::ranges::any_of(outcome.diagnostics,
                             [severity](const Diagnostic& d) { return d.severity <= severity; });
}

}  // namespace sx
