// The facts that a condition may name: what each is worth for a launch, where it stands, and what
// is missing when it is not known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/case.h"
#include "facts/need.h"

namespace sx {

struct ConditionValue {
  enum class Kind { Unknown, Absent, Truth, Number, Text };
  Kind kind = Kind::Unknown;
  bool truth = false;
  double number = 0;
  std::string text;

  static ConditionValue absent() { return {.kind = Kind::Absent, .text = {}}; }
  static ConditionValue of(bool truth) { return {.kind = Kind::Truth, .truth = truth, .text = {}}; }
  static ConditionValue of(double number) {
    return {.kind = Kind::Number, .number = number, .text = {}};
  }
  static ConditionValue of(std::string text) {
    return {.kind = Kind::Text, .text = std::move(text)};
  }
};

struct ConditionName {
  std::string_view name;
  ConditionValue (*value)(const Case& c);
  std::optional<Need> need;                     // what is missing when the value is unknown
  std::optional<Span> (*place)(const Case& c);  // null: stands nowhere in a command
};

// Null for a name that no fact has.
const ConditionName* condition_name(std::string_view name);

}  // namespace sx
