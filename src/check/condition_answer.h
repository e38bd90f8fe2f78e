// What a condition comes to for one launch.
#pragma once

#include <vector>

#include "check/condition_names.h"
#include "knowledge/condition.h"

namespace sx {

enum class Answer { No, Yes, Unknown };

// Asks one launch. Three-valued: what is not known leaves an `&` undecided unless another part is
// false, and an `|` unless another part is true. A comparison with what is not given is false,
// whichever it is; `!given(x)` asks for that. A bare flag is true where it is on: given, or by the
// version's default; texts are compared without regard to case.
class ConditionAsk {
 public:
  explicit ConditionAsk(const Case& c) : case_(c) {}

  Answer answer(const Condition& condition);
  ConditionValue value(const Condition& condition);
  // Facts that were asked for and are not known, in the order of asking.
  const std::vector<Need>& missing() const { return missing_; }

 private:
  using Node = Condition::Node;

  ConditionValue value_at(const Condition& condition, std::size_t at);
  Answer truth_at(const Condition& condition, std::size_t at);
  ConditionValue of_name(const Node& node);
  ConditionValue of_call(const Condition& condition, const Node& node);
  ConditionValue of_list(std::string_view function, std::string_view flag) const;
  ConditionValue of_choice(const ConditionValue& value, std::string_view flag) const;
  ConditionValue of_sum(const Condition& condition, const Node& node);
  Answer compared(const Condition& condition, const Node& node);
  Answer listed(const Condition& condition, const Node& node);
  Answer joined(const Condition& condition, const Node& node);

  const Case& case_;
  std::vector<Need> missing_;
};

// Functions that a condition may call, for whoever checks rows.
bool condition_function(std::string_view name, std::size_t arguments);

}  // namespace sx
