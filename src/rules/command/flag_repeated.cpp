// SX1104. The long explanation and the scenes are in flag_repeated.md.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "facts/secret_names.h"
#include "knowledge/flags.h"
#include "rules/command/flag_words.h"

namespace sx::rules {
namespace {

constexpr Text kTwice{"{flag} stands twice, as {first} and as {last}: only {last} counts",
                      "{flag} 写了两次，{first} 与 {last}：只有 {last} 生效"};
constexpr Text kTwiceSecret{"{flag} stands twice with different values: only the last one counts",
                            "{flag} 写了两次，值不同：只有后一个生效"};
constexpr Text kOpposites{"{first} and {last} contradict each other; the later one counts",
                          "{first} 与 {last} 相互矛盾；后写的生效"};
constexpr Text kOften{"{flag} stands {count} times with different values: only {last} counts",
                      "{flag} 写了 {count} 次，值不同：只有 {last} 生效"};
constexpr Text kCounts{"this one counts", "生效的是这个"};
constexpr Text kPassedOver{"passed over", "被忽略"};
constexpr Text kBecause{"of several uses of a flag the parser keeps the last one",
                        "同一参数写多次时，解析器只留最后一个"};
constexpr Text kOtherwise{"the server starts with the last value and says nothing about the others",
                          "服务按最后一个值启动，对其余的不作任何提示"};
constexpr OfEngine kOtherwiseOf[] = {
    {"llamacpp",
     {"the server starts with the last value; a line of its log says that the flag stands twice",
      "服务按最后一个值启动，日志里有一行说明参数重复"}}};
constexpr Text kKeepLast{"keep {value}, the one that counts now", "保留目前生效的 {value}"};
constexpr Text kKeepOther{"keep {value} instead", "改为保留 {value}"};

constexpr Need kNeeds[] = {Need::Flags};

// A switch is what it is by its name.
std::string value_of(const FlagUse& use) {
  if (use.values.empty()) return use.typed;
  return shown(use.name, join(use.values, " "));
}

bool same(const FlagUse& a, const FlagUse& b) {
  return a.negated == b.negated && a.values == b.values;
}

// A value that the flag cannot take is another rule's matter.
bool at_fault(const Case& c, const FlagUse& use) {
  return std::ranges::any_of(c.serve.problems, [&use](const FlagProblem& problem) {
    return problem.first_word == use.first_word && problem.typed == use.typed;
  });
}

// Uses of one flag that take each other's place, in the order of the command. What stands in a file
// is passed over on purpose, a list grows by each `+`, and what is not known here may be equal.
std::map<std::string, std::vector<const FlagUse*>> rivals(const Case& c, const EngineFlags& flags) {
  std::map<std::string, std::vector<const FlagUse*>> groups;
  for (const FlagUse& use : c.serve.flags) {
    const FlagRow* row = flags.find(use.name);
    if (row == nullptr || row->repeats || use.append || use.spliced || !use.complete) continue;
    if (use.name == "--config") continue;  // several of them are another matter
    groups[with_path(use.name, use)].push_back(&use);
  }
  return groups;
}

std::vector<Change> only(const std::vector<const FlagUse*>& uses, const FlagUse* kept) {
  std::vector<Change> changes;
  for (const FlagUse* use : uses) {
    if (use == kept) continue;
    for (std::size_t i = 0; i < use->word_count; ++i)
      changes.push_back(remove_word(use->first_word + i));
  }
  return changes;
}

Complaint complaint_about(const Case& c, const std::string& name,
                          const std::vector<const FlagUse*>& uses) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const FlagUse& first = *uses.front();
  const FlagUse& last = *uses.back();
  const Argument flag("flag", name);
  const Argument value("last", value_of(last));
  if (uses.size() > 2) {
    d.title = {kOften, {flag, value, {"count", uses.size()}}};
  } else if (first.values.empty() && last.values.empty()) {
    d.title = {kOpposites, {value, {"first", value_of(first)}}};
  } else if (names_secret(last.name)) {
    d.title = {kTwiceSecret, {flag}};
  } else {
    d.title = {kTwice, {flag, value, {"first", value_of(first)}}};
  }
  mark(d, last.span, kCounts);
  for (const FlagUse* use : uses) {
    if (use != &last && d.labels.size() < 3) mark(d, use->span, kPassedOver);
  }
  d.because = kBecause;
  d.otherwise = of_engine(c.serve, kOtherwiseOf, kOtherwise);
  d.subject = last.name;
  complaint.proposals.push_back({.title = {kKeepLast, {{"value", value_of(last)}}},
                                 .changes = only(uses, &last),
                                 .safety = Safety::Safe});
  for (const FlagUse* use : uses) {
    if (same(*use, last) || names_secret(use->name)) continue;
    complaint.proposals.push_back(
        {.title = {kKeepOther, {{"value", value_of(*use)}}}, .changes = only(uses, use)});
  }
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  const EngineFlags* flags = engine_flags(c.serve.engine);
  if (flags == nullptr) return complaints;
  for (const auto& [name, uses] : rivals(c, *flags)) {
    bool differ = false;
    bool fault = false;
    for (const FlagUse* use : uses) {
      differ = differ || !same(*use, *uses.back());
      fault = fault || at_fault(c, *use);
    }
    if (differ && !fault) complaints.push_back(complaint_about(c, name, uses));
  }
  return complaints;
}

}  // namespace

extern const Rule flag_repeated{
    .code = "SX1104",
    .name = "flag-repeated",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
