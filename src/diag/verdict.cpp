// Never "all good": what was checked, in numbers, and what was not.
#include "diag/verdict.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "diag/sentences.h"
#include "diag/words.h"

namespace sx {
namespace {

constexpr std::size_t kMostReasons = 3;

class Verdict {
 public:
  Verdict(const Outcome& outcome, const Folded& folded, const Style& style)
      : outcome_(outcome), folded_(folded), style_(style), painter_(style.colour) {}

  std::string text() const {
    const std::string first = outcome_.diagnostics.empty() ? nothing_to_say() : counts();
    const std::string second = join(left_out(), words::kSemicolon.in(style_.language));
    return sentence(first, Paint::Strong, style_.width, painter_) +
           sentence(second, Paint::Plain, style_.width, painter_);
  }

 private:
  std::string say(Text text, std::vector<Argument> arguments = {}) const {
    return rendered(Message{text, std::move(arguments)}, style_.language);
  }

  std::string count(Text one, Text many, int number) const {
    return number == 1 ? say(one) : say(many, {{"count", number}});
  }

  std::string nothing_to_say() const {
    const std::string passed = count(words::kOnePassed, words::kPassed, outcome_.checked);
    const std::string why = reasons();
    const std::size_t missing = outcome_.not_checked.size();
    if (!outcome_.allowed.empty()) {
      const std::string not_checked = not_run();
      if (not_checked.empty()) return say(words::kNothingElse, {{"passed", passed}});
      return say(words::kNothingElseNotRun, {{"passed", passed}, {"missing", not_checked}});
    }
    if (missing == 0) return say(words::kNothing, {{"passed", passed}});
    if (why.empty()) {
      return say(words::kNothingNotRun, {{"passed", passed}, {"count", missing}});
    }
    return say(words::kNothingNotRunBecause,
               {{"passed", passed}, {"count", missing}, {"reasons", why}});
  }

  std::string counts() const {
    const auto of = [this](Severity severity) {
      return static_cast<int>(
          std::ranges::count(outcome_.diagnostics, severity, &Diagnostic::severity));
    };
    const int errors = of(Severity::Error);
    const int warnings = of(Severity::Warning);
    const int advice = of(Severity::Advice);
    std::vector<std::string> parts;
    if (errors > 0) parts.push_back(count(words::kOneError, words::kErrors, errors));
    if (warnings > 0) parts.push_back(count(words::kOneWarning, words::kWarnings, warnings));
    const bool shown = advice > folded_.hidden_advice;
    if (shown) parts.push_back(count(words::kOneAdvice, words::kAdvices, advice));
    std::string out = join(parts, words::kComma.in(style_.language));
    const std::string missing = not_run();
    if (missing.empty()) return out;
    return out.append(words::kSemicolon.in(style_.language)).append(missing);
  }

  std::string not_run() const {
    const std::size_t missing = outcome_.not_checked.size();
    if (missing == 0) return {};
    const std::string why = reasons();
    const int number = static_cast<int>(missing);
    if (why.empty()) return count(words::kOneNotRun, words::kNotRun, number);
    if (number == 1) return say(words::kOneNotRunBecause, {{"reasons", why}});
    return say(words::kNotRunBecause, {{"count", number}, {"reasons", why}});
  }

  // The most frequent first; of equally frequent ones the one that came first.
  std::string reasons() const {
    std::vector<std::pair<std::string, int>> seen;
    for (const NotChecked& skipped : outcome_.not_checked) {
      std::string reason = rendered(skipped.reason, style_.language);
      if (reason.empty()) continue;
      const auto known = std::ranges::find(seen, reason, &std::pair<std::string, int>::first);
      if (known == seen.end()) {
        seen.emplace_back(std::move(reason), 1);
      } else {
        ++known->second;
      }
    }
    std::vector<std::string> parts;
    while (!seen.empty() && parts.size() < kMostReasons) {
      const auto most = std::ranges::max_element(seen, {}, &std::pair<std::string, int>::second);
      parts.push_back(std::move(most->first));
      seen.erase(most);
    }
    if (!seen.empty()) parts.emplace_back(words::kMoreReasons.in(style_.language));
    return join(parts, words::kSemicolon.in(style_.language));
  }

  std::vector<std::string> left_out() const {
    std::vector<std::pair<std::string_view, int>> waiting;
    for (const HeldBack& held : outcome_.held_back) {
      const auto known =
          std::ranges::find(waiting, held.until, &std::pair<std::string_view, int>::first);
      if (known == waiting.end()) {
        waiting.emplace_back(held.until, 1);
      } else {
        ++known->second;
      }
    }
    std::vector<std::string> parts;
    parts.reserve(waiting.size() + 4);
    for (const auto& [code, number] : waiting) {
      parts.push_back(number == 1 ? say(words::kOneWaits, {{"code", code}})
                                  : say(words::kWait, {{"count", number}, {"code", code}}));
    }
    if (folded_.one_line_warnings > 0) {
      parts.push_back(count(words::kOneShort, words::kShort, folded_.one_line_warnings));
    }
    if (folded_.hidden_advice > 0) {
      parts.push_back(count(words::kOneHidden, words::kHidden, folded_.hidden_advice));
    }
    if (!outcome_.allowed.empty()) {
      const int allowed = static_cast<int>(outcome_.allowed.size());
      parts.push_back(count(words::kOneAllowed, words::kAllowed, allowed));
    }
    if (!outcome_.unused_allowances.empty()) {
      const std::string codes = join(outcome_.unused_allowances, ", ");
      parts.push_back(say(words::kUnusedAllowance, {{"codes", codes}}));
    }
    return parts;
  }

  const Outcome& outcome_;
  const Folded& folded_;
  const Style& style_;
  Painter painter_;
};

}  // namespace

std::string verdict(const Outcome& outcome, const Folded& folded, const Style& style) {
  return Verdict(outcome, folded, style).text();
}

}  // namespace sx
