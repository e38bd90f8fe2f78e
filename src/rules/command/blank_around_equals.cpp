// SX1136. The long explanation and the scenes are in blank_around_equals.md.
#include <algorithm>
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "rules/command/flag_words.h"
#include "rules/command/script_text.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"a blank at the = parts {flag} from its value",
                      "等号旁的空格把 {flag} 和它的值拆开了"};
constexpr Text kLabel{"several words", "成了好几个词"};
constexpr Text kBecause{"a blank ends a word, so that = or nothing at all becomes the value",
                        "空格是词的分隔，于是等号或空文字成了取值"};
constexpr Text kRefused{
    "the launch is refused within seconds: the value cannot be read, or a word "
    "is left over",
    "启动在几秒内被拒绝：取值无法识别，或多出一个词"};
constexpr Text kTaken{"the = becomes a part of the value", "等号成了取值的一部分"};
constexpr Text kWrite{"write {flag} {value}", "改写为 {flag} {value}"};

constexpr Need kNeeds[] = {Need::Flags};
constexpr Need kDoubts[] = {Need::Flags};

bool stops_launch(const Case& c, const LooseEquals& one) {
  return std::ranges::any_of(c.serve.problems, [&](const FlagProblem& problem) {
    const std::size_t end = problem.first_word + std::max<std::size_t>(problem.word_count, 1);
    return problem.first_word <= one.last_word && one.flag_word < end;
  });
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  const auto& words = c.command.words;
  for (const LooseEquals& one : loose_equals(c)) {
    Complaint& complaint = complaints.emplace_back();
    Diagnostic& d = complaint.diagnostic;
    const bool stops = stops_launch(c, one);
    complaint.severity = stops ? Severity::Error : Severity::Warning;
    d.title = {kTitle, {{"flag", one.flag}}};
    Span span = words[one.flag_word].span;
    const Span& end = words[one.last_word].span;
    if (end.source == span.source && end.end > span.begin) span.end = end.end;
    mark(d, span, kLabel);
    d.because = kBecause;
    d.otherwise = stops ? kRefused : kTaken;
    d.subject = words[one.flag_word].text;
    Proposal write{.title = {kWrite, {{"flag", one.flag}, {"value", shown(one.flag, one.value)}}},
                   .changes = {replace_word(one.flag_word, one.flag),
                               replace_word(one.flag_word + 1, one.value)},
                   .safety = Safety::Safe};
    if (one.last_word > one.flag_word + 1) write.changes.push_back(remove_word(one.last_word));
    complaint.proposals.push_back(std::move(write));
  }
  return complaints;
}

}  // namespace

extern const Rule blank_around_equals{
    .code = "SX1136",
    .name = "blank-around-equals",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .check = check,
};

}  // namespace sx::rules
