// The same three steps for every type: the use that counts, its value, else the default.
#include "engines/argparse/reading.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include "base/utf8.h"
#include "engines/argparse/json_flags.h"
#include "engines/argparse/values.h"

namespace sx::argparse {
namespace {

constexpr Text kUnsetInFile{"the value comes from {variable}, which is set nowhere in {file}",
                            "该值来自 {variable}，而 {file} 中没有设置它"};
constexpr Text kUnset{"the value comes from {variable}, which is not known here",
                      "该值来自 {variable}，这里无法得知它的内容"};
constexpr Text kNotKnownHere{"the value is not known before the command runs",
                             "命令运行之前无法得知该值"};
constexpr Text kNoValue{"{flag} has no value", "{flag} 没有给出值"};
constexpr Text kNoInteger{"{value} is not a whole number", "{value} 不是整数"};
constexpr Text kNoNumber{"{value} is not a number", "{value} 不是数字"};
constexpr Text kNoJson{"the JSON of {flag} cannot be read", "无法解析 {flag} 的 JSON"};

// Longer values are cut in a sentence.
constexpr std::size_t kShownBytes = 60;

std::string shown(std::string_view value) {
  std::string text = valid_utf8(value.substr(0, kShownBytes));
  return value.size() > kShownBytes ? text + "…" : text;
}

// "$TP", "${TP}" or "$(…)" in the text of a word.
std::string variable_in(std::string_view text) {
  const std::size_t dollar = text.find('$');
  if (dollar == std::string_view::npos || dollar + 1 == text.size()) return {};
  std::size_t end = dollar + 1;
  const char opening = text[end];
  if (opening == '{' || opening == '(') {
    end = std::min(text.find(opening == '{' ? '}' : ')', end), text.size());
    if (end < text.size()) ++end;
  } else {
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
      ++end;
    if (end == dollar + 1) ++end;  // $1, $@, $? and their like
  }
  return shown(text.substr(dollar, end - dollar));
}

bool says_nothing(std::string_view text) {
  static constexpr std::array<std::string_view, 4> kNothing{"", "None", "unset",
                                                            "dataclass defaults"};
  return std::ranges::find(kNothing, text) != kNothing.end();
}

}  // namespace

Message why_incomplete(const Sources& sources, const Span& span) {
  if (span.source < 0) return kNotKnownHere;
  std::string variable = variable_in(sources.text(span));
  if (variable.empty()) return kNotKnownHere;
  const std::string& file = sources.at(span.source).name;
  if (file.empty()) return {kUnset, {{"variable", variable}}};
  return {kUnsetInFile, {{"variable", variable}, {"file", file}}};
}

const FlagUse* Reading::use(std::string_view name) const {
  for (auto use = serve_.flags.rbegin(); use != serve_.flags.rend(); ++use) {
    if (!use->path && (use->name == name || use->meant == name)) return &*use;
  }
  return nullptr;
}

std::vector<const FlagUse*> Reading::uses(std::string_view name) const {
  std::vector<const FlagUse*> found;
  for (const FlagUse& use : serve_.flags) {
    if (use.name == name) found.push_back(&use);
  }
  return found;
}

Message Reading::why(const FlagUse& use) const {
  if (!use.complete) return why_incomplete(sources_, use.span);
  return {kNoValue, {{"flag", use.typed}}};
}

std::optional<std::string_view> Reading::default_text(std::string_view name) const {
  if (const auto known = engine_default(dialect_.flags.engine, name.substr(2), dialect_.version)) {
    return says_nothing(known->value) ? std::nullopt : std::optional(known->value);
  }
  const FlagRow* row = dialect_.flags.find(name);
  if (row == nullptr || says_nothing(row->default_text)) return {};
  return row->default_text;
}

Fact<std::string> Reading::text(std::string_view name) const {
  if (const FlagUse* found = use(name)) {
    if (!found->complete || found->values.empty()) return Fact<std::string>::unknown(why(*found));
    return {found->values.front(), Origin::Flag, found->span};
  }
  const auto known = default_text(name);
  return known ? Fact<std::string>(std::string(*known), Origin::Default) : Fact<std::string>();
}

Fact<std::int64_t> Reading::integer(std::string_view name) const {
  const auto said = text(name);
  if (!said.known()) return Fact<std::int64_t>::unknown(said.why_unknown());
  const FlagRow* row = dialect_.flags.find(name);
  const auto value =
      row != nullptr ? integer_value(*row, said.value(), dialect_) : python_integer(said.value());
  if (value) return {*value, said.origin(), said.span()};
  return Fact<std::int64_t>::unknown({kNoInteger, {{"value", shown(said.value())}}});
}

Fact<int> Reading::count(std::string_view name) const {
  const auto value = integer(name);
  if (!value.known()) return Fact<int>::unknown(value.why_unknown());
  // Past what an int holds every count is as senseless as the largest one.
  const auto bounded = std::clamp<std::int64_t>(value.value(), std::numeric_limits<int>::min(),
                                                std::numeric_limits<int>::max());
  return {static_cast<int>(bounded), value.origin(), value.span()};
}

Fact<double> Reading::number(std::string_view name) const {
  const auto said = text(name);
  if (!said.known()) return Fact<double>::unknown(said.why_unknown());
  if (const auto value = python_number(said.value())) return {*value, said.origin(), said.span()};
  return Fact<double>::unknown({kNoNumber, {{"value", shown(said.value())}}});
}

Fact<bool> Reading::flag(std::string_view name) const {
  if (const FlagUse* found = use(name)) {
    if (!found->complete) return Fact<bool>::unknown(why(*found));
    return {!found->negated, Origin::Flag, found->span};
  }
  const auto known = default_text(name);
  if (!known) return {};
  return {*known == "on" || *known == "True" || *known == "yes", Origin::Default};
}

Fact<std::string> Reading::json(std::string_view name) const {
  const auto found = uses(name);
  if (found.empty()) return {};
  for (const FlagUse* one : found) {
    if (!one->complete || one->values.empty()) return Fact<std::string>::unknown(why(*one));
  }
  const auto merged = merged_json(found);
  if (!merged) return Fact<std::string>::unknown({kNoJson, {{"flag", found.back()->typed}}});
  return {*merged, Origin::Flag, found.back()->span};
}

}  // namespace sx::argparse
