// Flags win over variables (a warning of the engine says so), variables over defaults.
#include "engines/llamacpp/reading.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "base/utf8.h"
#include "engines/argparse/reading.h"
#include "engines/llamacpp/values.h"
#include "knowledge/tables.h"
#include "knowledge/truth_words.h"

namespace sx::llamacpp {
namespace {

constexpr Text kNoValue{"{flag} has no value", "{flag} 没有给出值"};
constexpr Text kNoInteger{"{value} is not a whole number", "{value} 不是整数"};

// Longer values are cut in a sentence.
constexpr std::size_t kShownBytes = 60;

std::string shown(std::string_view value) {
  std::string text = valid_utf8(value.substr(0, kShownBytes));
  return value.size() > kShownBytes ? text + "…" : text;
}

// Flag → its variables (data/engines/llamacpp/env.tsv, column `flag`).
const std::map<std::string_view, std::vector<std::string_view>>& variables() {
  static const auto all = [] {
    std::map<std::string_view, std::vector<std::string_view>> by_flag;
    const Table table(table_bytes("data/engines/llamacpp/env.tsv"));
    for (std::size_t row = 0; row < table.rows(); ++row)
      by_flag[table.cell(row, "flag")].push_back(table.cell(row, "name"));
    return by_flag;
  }();
  return all;
}

}  // namespace

const FlagUse* Reading::use(std::string_view name) const {
  const auto used = [&](const FlagUse& use) { return use.name == name || use.meant == name; };
  const auto found = std::find_if(serve_.flags.rbegin(), serve_.flags.rend(), used);
  return found == serve_.flags.rend() ? nullptr : &*found;
}

const Setting* Reading::variable(std::string_view name) const {
  const auto known = variables().find(name);
  if (known == variables().end()) return nullptr;
  for (auto one = command_.environment.rbegin(); one != command_.environment.rend(); ++one) {
    if (std::ranges::find(known->second, std::string_view(one->name)) != known->second.end())
      return &*one;
  }
  return nullptr;
}

std::string_view Reading::default_text(std::string_view name) const {
  if (const auto known = engine_default("llamacpp", name.substr(2), serve_.version))
    return known->value;
  const FlagRow* row = flags_.find(name);
  return row == nullptr ? std::string_view{} : row->default_text;
}

Fact<std::string> Reading::text(std::string_view name) const {
  if (const FlagUse* found = use(name)) {
    if (!found->complete)
      return Fact<std::string>::unknown(argparse::why_incomplete(sources_, found->span));
    if (found->values.empty())
      return Fact<std::string>::unknown({kNoValue, {{"flag", found->typed}}});
    return {found->values.front(), Origin::Flag, found->span};
  }
  if (const Setting* set = variable(name)) {
    if (!set->complete)
      return Fact<std::string>::unknown(argparse::why_incomplete(sources_, set->span));
    return {set->value, Origin::Environment, set->span};
  }
  const std::string_view known = default_text(name);
  return known.empty() ? Fact<std::string>()
                       : Fact<std::string>(std::string(known), Origin::Default);
}

Fact<std::int64_t> Reading::integer(std::string_view name) const {
  const auto said = text(name);
  if (!said.known()) return Fact<std::int64_t>::unknown(said.why_unknown());
  if (const auto number = front_integer(said.value()))
    return {number->value, said.origin(), said.span()};
  if (said.origin() == Origin::Default) return {};
  return Fact<std::int64_t>::unknown({kNoInteger, {{"value", shown(said.value())}}});
}

Fact<int> Reading::count(std::string_view name) const {
  const auto value = integer(name);
  if (!value.known()) return Fact<int>::unknown(value.why_unknown());
  // Past what an int holds the parser refuses the number anyway.
  const auto bounded = std::clamp<std::int64_t>(value.value(), std::numeric_limits<int>::min(),
                                                std::numeric_limits<int>::max());
  return {static_cast<int>(bounded), value.origin(), value.span()};
}

Fact<std::int64_t> Reading::positive(std::string_view name) const {
  const auto value = integer(name);
  return value.known() && value.value() <= 0 ? Fact<std::int64_t>() : value;
}

Fact<bool> Reading::flag(std::string_view name) const {
  if (const FlagUse* found = use(name)) return {!found->negated, Origin::Flag, found->span};
  if (const Setting* set = variable(name); set != nullptr) {
    if (!set->complete) return Fact<bool>::unknown(argparse::why_incomplete(sources_, set->span));
    if (const auto truth = truth_as("llamacpp", set->value))
      return {*truth, Origin::Environment, set->span};
  }
  const auto truth = truth_as("llamacpp", default_text(name));
  return truth ? Fact<bool>(*truth, Origin::Default) : Fact<bool>();
}

}  // namespace sx::llamacpp
