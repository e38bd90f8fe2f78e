// Fractions move in twentieths, counts are halved: steps that one start can tell apart.
#include "cli/diagnose_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "check/flag_values.h"
#include "knowledge/foreign_flags.h"

namespace sx {
namespace {

constexpr double kStep = 0.05;
constexpr double kLeastFraction = 0.3;  // below it the weights are what does not fit
constexpr double kMostFraction = 0.97;  // the rest is the context and other processes
constexpr std::string_view kLike = "like ";

struct Words {
  std::string_view verb, flag, value;
};

Words words_of(std::string_view change) {
  const auto verb_end = std::min(change.find(' '), change.size());
  const auto rest = trimmed(change.substr(verb_end));
  const auto flag_end = std::min(rest.find(' '), rest.size());
  return {.verb = change.substr(0, verb_end),
          .flag = rest.substr(0, flag_end),
          .value = trimmed(rest.substr(flag_end))};
}

std::string set_words(std::string_view flag, std::string_view value) {
  return fmt::format("set {} {}", flag, value);
}

std::optional<double> lower_than(double now) {
  if (now > 1) return std::floor(now / 2);
  const double next = now - kStep;
  if (now == 1 || next < kLeastFraction) return {};
  return next;
}

std::optional<double> higher_than(double now) {
  if (now >= 1) return {};  // counts are raised by whoever knows why
  const double next = now + kStep;
  if (next > kMostFraction) return {};
  return next;
}

}  // namespace

std::optional<std::string> change_for(std::string_view change, const Case& c) {
  const Words words = words_of(change);
  const bool down = words.verb == "lower";
  if (!down && words.verb != "raise") return std::string(change);
  const auto aim = to_number(words.value);
  if (!aim) return {};
  const std::string own = own_name_for_value(c.serve.engine, words.flag);
  if (own.empty()) return {};
  const FlagUse* const use = c.serve.use_of(own);
  if (use == nullptr) return set_words(words.flag, words.value);
  const ConditionValue now = flag_value(c, own, {});
  if (now.kind != ConditionValue::Kind::Number) return {};
  if (down ? now.number > *aim : now.number < *aim) return set_words(words.flag, words.value);
  const auto next = down ? lower_than(now.number) : higher_than(now.number);
  if (!next) return {};
  return set_words(words.flag,
                   *next >= 1 ? fmt::format("{:.0f}", *next) : fmt::format("{:.2g}", *next));
}

std::string_view rule_meant(std::string_view change) {
  return change.starts_with(kLike) ? trimmed(change.substr(kLike.size())) : std::string_view{};
}

}  // namespace sx
