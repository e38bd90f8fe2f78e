// SX1141. The long explanation and the scenes are in popular_advice.md.
#include <algorithm>
#include <optional>
#include <vector>

#include "check/condition_answer.h"
#include "check/constraint_words.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/claims.h"
#include "read/settings.h"

namespace sx::rules {
namespace {

constexpr Text kLabel{"a common belief: {claim}", "常见说法：{claim}"};
constexpr Text kBecause{"{right}", "{right}"};
constexpr Text kOtherwise{"it runs, and the setting does not do what is expected of it",
                          "可以运行，但这个设置起不到预期的作用"};

constexpr std::size_t kMostMarks = 3;  // as many places as a message has

Both both(const Sentence& sentence) {
  return {std::string(sentence.english), std::string(sentence.chinese)};
}

// Where flags and variables of the claim stand in this command.
std::vector<Span> places_of(const Case& c, const ClaimRow& row) {
  std::vector<Span> places;
  for (const auto mark : row.marks) {
    if (places.size() == kMostMarks) break;
    if (mark.starts_with('$')) {
      const Setting* found = last_setting(c.command.environment, mark.substr(1));
      if (found != nullptr) places.push_back(found->span);
    } else if (const FlagUse* use = c.serve.use_of(mark)) {
      places.push_back(use->span);
    }
  }
  return places;
}

// Claims that the launch may rest on: what shows them is in its command.
std::vector<const ClaimRow*> touched(const Case& c) {
  std::vector<const ClaimRow*> rows;
  for (const ClaimRow& row : claims()) {
    if (!row.when.empty() && row.holds_in(c.serve.version) && !places_of(c, row).empty())
      rows.push_back(&row);
  }
  return rows;
}

std::optional<Complaint> complaint_of(const Case& c, const ClaimRow& row) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  auto title = said(c, row.title);
  if (!title) return {};
  d.title = std::move(*title);
  for (const Span& place : places_of(c, row)) {
    mark(d, place, d.labels.empty() ? Message{kLabel, {{"claim", both(row.claim)}}} : Message{});
  }
  d.because = {kBecause, {{"right", both(row.right)}}};
  d.otherwise = kOtherwise;
  d.subject = row.id;
  if (auto fix = said_fix(c, row.fix)) complaint.proposals.push_back(std::move(*fix));
  return complaint;
}

// One a launch is enough: this is a lesson, not a fault.
std::vector<Complaint> check(const Case& c) {
  for (const ClaimRow* row : touched(c)) {
    const auto condition = row->condition();
    if (!condition || ConditionAsk(c).answer(*condition) != Answer::Yes) continue;
    if (auto complaint = complaint_of(c, *row)) return {std::move(*complaint)};
  }
  return {};
}

std::vector<Need> open(const Case& c) {
  std::vector<Need> needs;
  for (const ClaimRow* row : touched(c)) {
    ConditionAsk ask(c);
    const auto condition = row->condition();
    if (!condition || ask.answer(*condition) != Answer::Unknown) continue;
    for (const Need need : ask.missing()) {
      if (!met(need, c) && std::ranges::find(needs, need) == needs.end()) needs.push_back(need);
    }
  }
  return needs;
}

}  // namespace

extern const Rule popular_advice{
    .code = "SX1141",
    .name = "popular-advice",
    .severity = Severity::Advice,
    .engines = kOfTorchEngines,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
