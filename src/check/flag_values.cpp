// Flags as they stand, dotted uses and JSON texts together.
#include "check/flag_values.h"

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "knowledge/flags.h"
#include "read/json.h"
#include "read/settings.h"

namespace sx {
namespace {

using V = ConditionValue;

// What a launch line holds is small; larger texts are not settings.
constexpr std::size_t kMostJsonNodes = 5000;

V json_value(const JsonValue& value) {
  if (!value) return V::absent();
  switch (value.kind()) {
    case JsonKind::Null:
      return V::absent();
    case JsonKind::Bool:
      return V::of(value.boolean().value_or(false));
    case JsonKind::Number:
      return value.number() ? V::of(*value.number()) : V{};
    case JsonKind::String:
      return V::of(value.string().value_or(std::string{}));
    case JsonKind::Array:
    case JsonKind::Object:
      return V::of(std::string(value.raw()));
  }
  return {};
}

// Thousands as engines read them: k is 1000, K is 1024.
std::optional<double> with_suffix(std::string_view text) {
  if (text.size() < 2) return {};
  const auto number = to_number(text.substr(0, text.size() - 1));
  if (!number) return {};
  switch (text.back()) {
    case 'k':
      return *number * 1e3;
    case 'K':
      return *number * 1024;
    case 'm':
      return *number * 1e6;
    case 'M':
      return *number * 1024 * 1024;
    case 'g':
      return *number * 1e9;
    case 'G':
      return *number * 1024 * 1024 * 1024;
    default:
      return {};
  }
}

V default_of(const Case& c, std::string_view flag) {
  const auto* flags = engine_flags(c.serve.engine);
  const FlagRow* row = flags == nullptr ? nullptr : flags->find(flag);
  if (row == nullptr || row->kind != FlagKind::Switch) return V::absent();
  const std::string word = lower(row->default_text);
  if (word == "true") return V::of(true);
  return word == "false" ? V::of(false) : V::absent();
}

V of_key(const Case& c, std::string_view flag, std::string_view key) {
  for (auto use = c.serve.flags.rbegin(); use != c.serve.flags.rend(); ++use) {
    if (use->name != flag || use->values.empty()) continue;
    if (!use->complete) return {};
    if (use->path == key) return read_value(use->values.front());
    if (use->path) continue;
    V found = json_key(use->values.front(), key);
    if (found.kind != V::Kind::Absent) return found;
  }
  return V::absent();
}

}  // namespace

ConditionValue read_value(std::string_view text) {
  if (const auto number = to_number(text)) return V::of(*number);
  if (const auto number = with_suffix(text)) return V::of(*number);
  const std::string word = lower(text);
  if (word == "true") return V::of(true);
  if (word == "false") return V::of(false);
  return V::of(std::string(text));
}

ConditionValue json_key(std::string_view json, std::string_view key) {
  const auto document = JsonDocument::parse(json, kMostJsonNodes);
  if (!document) return V::absent();
  JsonValue at = document->root();
  for (const auto part : split(key, '.')) {
    if (!at.is(JsonKind::Object)) return V::absent();
    at = at[part];
  }
  return json_value(at);
}

ConditionValue flag_value(const Case& c, std::string_view flag, std::string_view key) {
  if (!key.empty()) return of_key(c, flag, key);
  const FlagUse* use = c.serve.use_of(flag);
  if (use == nullptr) return default_of(c, flag);
  if (use->values.empty()) return V::of(!use->negated);
  return use->complete ? read_value(use->values.front()) : V{};
}

ConditionValue variable_value(const Case& c, std::string_view variable) {
  const Setting* found = last_setting(c.command.environment, variable);
  if (found == nullptr) return V::absent();
  return found->complete ? read_value(found->value) : V{};
}

}  // namespace sx
