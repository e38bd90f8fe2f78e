// A row is asked only where its first mark is in the command: of a table of hundreds a launch
// touches a few.
#include "check/constraint_rules.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "check/condition_answer.h"
#include "check/constraint_words.h"
#include "check/speak.h"
#include "knowledge/constraints.h"
#include "read/settings.h"

namespace sx {
namespace {

// Where a mark stands in this command; nothing when it does not.
std::optional<Span> place_of(const Case& c, std::string_view mark) {
  if (mark.starts_with("--")) {
    const FlagUse* use = c.serve.use_of(mark);
    return use == nullptr ? std::nullopt : std::optional(use->span);
  }
  if (mark.starts_with('$')) {
    const Setting* found = last_setting(c.command.environment, mark.substr(1));
    return found == nullptr ? std::nullopt : std::optional(found->span);
  }
  const ConditionName* name = condition_name(mark);
  return name == nullptr || name->place == nullptr ? std::nullopt : name->place(c);
}

// Rows of the rule that hold in the version and whose first mark is in the command.
std::vector<const ConstraintHead*> touched(const Case& c, std::string_view rule) {
  std::vector<const ConstraintHead*> rows;
  const Constraints* table = constraints_of(c.serve.engine);
  if (table == nullptr || !c.serve.flags_checked) return rows;
  std::string_view mark;
  bool here = false;
  for (const ConstraintHead& head : table->of_rule(rule)) {
    if (head.first_mark.empty()) continue;
    if (head.first_mark != mark) {
      mark = head.first_mark;
      here = place_of(c, mark).has_value();
    }
    if (here && head.holds_in(c.serve.version)) rows.push_back(&head);
  }
  return rows;
}

Severity severity_of(const ConstraintRow& row) {
  if (row.severity == "error") return Severity::Error;
  return row.severity == "warning" ? Severity::Warning : Severity::Advice;
}

std::optional<Complaint> complaint_of(const Case& c, const ConstraintRow& row) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  auto title = said(c, row.title);
  if (!title) return {};
  d.title = std::move(*title);
  for (const auto mark_name : row.marks) {
    const auto place = place_of(c, mark_name);
    if (!place || d.labels.size() == 3) continue;
    const bool taken = std::ranges::any_of(
        d.labels, [&place](const Label& label) { return label.span.begin == place->begin; });
    if (taken) continue;
    mark(d, *place, d.labels.empty() ? said(c, row.label).value_or(Message{}) : Message{});
  }
  d.because = said(c, row.because).value_or(Message{});
  d.otherwise = said_otherwise(c, row);
  d.no_fix = said(c, row.no_fix).value_or(Message{});
  d.subject = row.marks.front();
  complaint.severity = severity_of(row);
  if (c.asked_again) return complaint;
  for (const auto alternative : row.fixes) {
    if (auto fix = said_fix(c, alternative)) complaint.proposals.push_back(std::move(*fix));
  }
  return complaint;
}

}  // namespace

std::vector<Complaint> constraints_bite(const Case& c, std::string_view rule) {
  std::vector<Complaint> complaints;
  for (const ConstraintHead* head : touched(c, rule)) {
    const auto condition = head->condition();
    if (!condition || ConditionAsk(c).answer(*condition) != Answer::Yes) continue;
    const ConstraintRow row = constraints_of(c.serve.engine)->row(*head);
    if (auto complaint = complaint_of(c, row)) complaints.push_back(std::move(*complaint));
  }
  return complaints;
}

std::vector<Need> constraints_open(const Case& c, std::string_view rule) {
  std::vector<Need> open;
  for (const ConstraintHead* head : touched(c, rule)) {
    ConditionAsk ask(c);
    const auto condition = head->condition();
    if (!condition || ask.answer(*condition) != Answer::Unknown) continue;
    for (const Need need : ask.missing()) {
      if (!met(need, c) && std::ranges::find(open, need) == open.end()) open.push_back(need);
    }
  }
  return open;
}

}  // namespace sx
