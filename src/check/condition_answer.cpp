// From nodes to values, one kind of node a function.
#include "check/condition_answer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/strings.h"
#include "check/flag_values.h"
#include "knowledge/choices.h"
#include "knowledge/flags.h"

namespace sx {
namespace {

using Kind = Condition::Kind;
using V = ConditionValue;

Answer answer_of(bool truth) { return truth ? Answer::Yes : Answer::No; }

// What stands alone as a condition: a switch that is on. Nothing given is nothing asked.
Answer truth_of(const V& value) {
  switch (value.kind) {
    case V::Kind::Unknown:
      return Answer::Unknown;
    case V::Kind::Absent:
      return Answer::No;
    case V::Kind::Truth:
      return answer_of(value.truth);
    case V::Kind::Number:
      return answer_of(value.number != 0);
    case V::Kind::Text:
      return answer_of(lower(value.text) != "false" && !value.text.empty());
  }
  return Answer::Unknown;
}

bool same(const V& a, const V& b) {
  if (a.kind == V::Kind::Number && b.kind == V::Kind::Number) return a.number == b.number;
  if (a.kind == V::Kind::Text && b.kind == V::Kind::Text) return lower(a.text) == lower(b.text);
  if (a.kind == V::Kind::Truth && b.kind == V::Kind::Truth) return a.truth == b.truth;
  return false;
}

bool ordered(Kind kind, double a, double b) {
  switch (kind) {
    case Kind::Less:
      return a < b;
    case Kind::AtMost:
      return a <= b;
    case Kind::Greater:
      return a > b;
    case Kind::AtLeast:
      return a >= b;
    default:
      return false;
  }
}

struct Function {
  std::string_view name;
  std::size_t arguments;
};
constexpr std::array<Function, 12> kFunctions{{{"given", 1},
                                               {"known", 1},
                                               {"off", 1},
                                               {"count", 1},
                                               {"items", 1},
                                               {"repeats", 1},
                                               {"ends", 2},
                                               {"starts", 2},
                                               {"holds", 2},
                                               {"choice", 2},
                                               {"min", 2},
                                               {"max", 2}}};

}  // namespace

bool condition_function(std::string_view name, std::size_t arguments) {
  return std::ranges::any_of(kFunctions, [&](const Function& one) {
    return one.name == name && one.arguments == arguments;
  });
}

Answer ConditionAsk::answer(const Condition& condition) {
  return truth_at(condition, static_cast<std::size_t>(&condition.root() - &condition.node(0)));
}

ConditionValue ConditionAsk::value(const Condition& condition) {
  return value_at(condition, static_cast<std::size_t>(&condition.root() - &condition.node(0)));
}

Answer ConditionAsk::truth_at(const Condition& condition, std::size_t at) {
  const Node& node = condition.node(at);
  switch (node.kind) {
    case Kind::Or:
    case Kind::And:
      return joined(condition, node);
    case Kind::Not: {
      const Answer inner = truth_at(condition, node.children[0]);
      if (inner == Answer::Unknown) return inner;
      return answer_of(inner == Answer::No);
    }
    case Kind::In:
      return listed(condition, node);
    case Kind::Equal:
    case Kind::NotEqual:
    case Kind::Less:
    case Kind::AtMost:
    case Kind::Greater:
    case Kind::AtLeast:
      return compared(condition, node);
    default:
      return truth_of(value_at(condition, at));
  }
}

// The left part first: where it decides, the right one is not asked, and misses nothing.
Answer ConditionAsk::joined(const Condition& condition, const Node& node) {
  const Answer decides = node.kind == Kind::And ? Answer::No : Answer::Yes;
  const Answer left = truth_at(condition, node.children[0]);
  if (left == decides) return left;
  const Answer right = truth_at(condition, node.children[1]);
  if (right == decides) return right;
  return left == Answer::Unknown ? left : right;
}

Answer ConditionAsk::compared(const Condition& condition, const Node& node) {
  const V left = value_at(condition, node.children[0]);
  const V right = value_at(condition, node.children[1]);
  if (left.kind == V::Kind::Absent || right.kind == V::Kind::Absent) return Answer::No;
  if (left.kind == V::Kind::Unknown || right.kind == V::Kind::Unknown) return Answer::Unknown;
  if (node.kind == Kind::Equal) return answer_of(same(left, right));
  if (node.kind == Kind::NotEqual) return answer_of(!same(left, right));
  if (left.kind != V::Kind::Number || right.kind != V::Kind::Number) return Answer::Unknown;
  return answer_of(ordered(node.kind, left.number, right.number));
}

Answer ConditionAsk::listed(const Condition& condition, const Node& node) {
  const V wanted = value_at(condition, node.children[0]);
  if (wanted.kind == V::Kind::Absent) return Answer::No;
  if (wanted.kind == V::Kind::Unknown) return Answer::Unknown;
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    if (same(wanted, value_at(condition, node.children[i]))) return Answer::Yes;
  }
  return Answer::No;
}

ConditionValue ConditionAsk::value_at(const Condition& condition, std::size_t at) {
  const Node& node = condition.node(at);
  switch (node.kind) {
    case Kind::Number:
      return V::of(node.number);
    case Kind::Text:
      return V::of(std::string(node.text));
    case Kind::Flag:
      return flag_value(case_, node.text, node.key);
    case Kind::Variable:
      return variable_value(case_, node.text);
    case Kind::Name:
      return of_name(node);
    case Kind::Call:
      return of_call(condition, node);
    case Kind::Otherwise: {
      const V first = value_at(condition, node.children[0]);
      return first.kind == V::Kind::Absent ? value_at(condition, node.children[1]) : first;
    }
    case Kind::Add:
    case Kind::Subtract:
    case Kind::Multiply:
    case Kind::Divide:
    case Kind::Remainder:
      return of_sum(condition, node);
    default: {
      const Answer truth = truth_at(condition, at);
      return truth == Answer::Unknown ? V{} : V::of(truth == Answer::Yes);
    }
  }
}

ConditionValue ConditionAsk::of_name(const Node& node) {
  const ConditionName* name = condition_name(node.text);
  if (name == nullptr) return {};
  V value = name->value(case_);
  if (!node.key.empty() && value.kind == V::Kind::Text) value = json_key(value.text, node.key);
  if (value.kind == V::Kind::Unknown && name->need) missing_.push_back(*name->need);
  return value;
}

ConditionValue ConditionAsk::of_sum(const Condition& condition, const Node& node) {
  const V left = value_at(condition, node.children[0]);
  const V right = value_at(condition, node.children[1]);
  if (left.kind == V::Kind::Absent || right.kind == V::Kind::Absent) return V::absent();
  if (left.kind != V::Kind::Number || right.kind != V::Kind::Number) return {};
  const double a = left.number;
  const double b = right.number;
  switch (node.kind) {
    case Kind::Add:
      return V::of(a + b);
    case Kind::Subtract:
      return V::of(a - b);
    case Kind::Multiply:
      return V::of(a * b);
    default:
      break;
  }
  if (b == 0) return {};
  return V::of(node.kind == Kind::Divide ? a / b : std::fmod(a, b));
}

// A list as flags take it: words, commas, or both.
ConditionValue ConditionAsk::of_list(std::string_view function, std::string_view flag) const {
  const FlagUse* use = case_.serve.use_of(flag);
  if (use == nullptr) return V::absent();
  if (!use->complete) return {};
  std::vector<std::string> items;
  for (const std::string& value : use->values) {
    for (const auto item : split(value, ',')) {
      if (!trimmed(item).empty()) items.emplace_back(trimmed(item));
    }
  }
  if (function == "items") return V::of(static_cast<double>(items.size()));
  std::ranges::sort(items);
  return V::of(std::ranges::adjacent_find(items) != items.end());
}

// Whether the value is one that the flag takes in the launch's version.
ConditionValue ConditionAsk::of_choice(const ConditionValue& value, std::string_view flag) const {
  if (value.kind == V::Kind::Absent) return V::absent();
  const EngineFlags* flags = engine_flags(case_.serve.engine);
  const FlagRow* row = flags == nullptr ? nullptr : flags->find(flag);
  if (row == nullptr || value.kind != V::Kind::Text) return {};
  const auto choices = choices_in(*flags, *row, case_.serve.version);
  if (!choices) return {};
  return V::of(std::ranges::any_of(*choices, [&value](std::string_view choice) {
    return same(value, V::of(std::string(choice)));
  }));
}

ConditionValue ConditionAsk::of_call(const Condition& condition, const Node& node) {
  const auto argument = [&](std::size_t i) { return value_at(condition, node.children[i]); };
  if (!condition_function(node.text, node.children.size())) return {};
  const Node& asked = condition.node(node.children[0]);
  if (node.text == "given") {
    if (asked.kind == Kind::Flag && asked.key.empty())
      return V::of(case_.serve.use_of(asked.text) != nullptr);
    const V value = argument(0);
    return value.kind == V::Kind::Unknown ? value : V::of(value.kind != V::Kind::Absent);
  }
  if (node.text == "known") {
    const std::size_t before = missing_.size();
    const bool known = argument(0).kind != V::Kind::Unknown;
    missing_.resize(before);  // it is no matter here that it is not
    return V::of(known);
  }
  if (node.text == "off") {
    const FlagUse* use = case_.serve.use_of(asked.text);
    return V::of(use != nullptr && use->negated);
  }
  if (node.text == "count") {
    const FlagUse* use = case_.serve.use_of(asked.text);
    if (use == nullptr) return V::absent();
    return use->complete ? V::of(static_cast<double>(use->values.size())) : V{};
  }
  if (node.text == "items" || node.text == "repeats") return of_list(node.text, asked.text);
  const V a = argument(0);
  if (node.text == "choice") return of_choice(a, condition.node(node.children[1]).text);
  const V b = argument(1);
  if (a.kind == V::Kind::Absent || b.kind == V::Kind::Absent) return V::absent();
  if (a.kind == V::Kind::Unknown || b.kind == V::Kind::Unknown) return {};
  if (node.text == "starts") return V::of(lower(a.text).starts_with(lower(b.text)));
  if (node.text == "ends") return V::of(lower(a.text).ends_with(lower(b.text)));
  if (node.text == "holds") return V::of(lower(a.text).contains(lower(b.text)));
  if (a.kind != V::Kind::Number || b.kind != V::Kind::Number) return {};
  return V::of(node.text == "min" ? std::min(a.number, b.number) : std::max(a.number, b.number));
}

}  // namespace sx
