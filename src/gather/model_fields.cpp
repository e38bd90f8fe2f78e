// Looking up config values and refusing the senseless ones.
#include "gather/model_fields.h"

#include <algorithm>

#include "base/utf8.h"

namespace sx {
namespace {

// No model has a width, count or vocabulary beyond these; numbers above them would overflow later
// arithmetic.
constexpr std::int64_t kLargestCount = 10'000'000;
constexpr std::int64_t kMostPositions = 1'000'000'000'000;
constexpr std::size_t kShownBytes = 40;

constexpr Text kAbsent{"{file} has no {key}", "{file} 里没有 {key}"};
constexpr Text kSenseless{"{file} says {value} for {key}, which cannot be right",
                          "{file} 中 {key} 为 {value}，这不可能正确"};
constexpr Text kVaries{"{file} gives a list of different values for {key}",
                       "{file} 中 {key} 是一列不同的值"};

}  // namespace

std::optional<std::int64_t> one_integer(JsonValue value) {
  if (!value.is(JsonKind::Array)) return value.integer();
  const auto first = value.first().integer();
  for (JsonValue element = value.first(); element; element = element.next()) {
    if (element.integer() != first) return {};
  }
  return first;
}

JsonValue ConfigFields::find(Keys keys) const {
  for (const JsonValue& scope : scopes_) {
    for (const std::string_view key : keys) {
      const JsonValue value = scope[key];
      if (value && !value.is(JsonKind::Null)) return value;
    }
  }
  return {};
}

Message ConfigFields::absent(std::string_view key) const {
  return {kAbsent, {{"file", file_}, {"key", key}}};
}

Message ConfigFields::senseless(JsonValue value) const {
  if (value.is(JsonKind::Array) && value.size() > 1)
    return {kVaries, {{"file", file_}, {"key", value.key()}}};
  std::string shown = valid_utf8(value.raw().substr(0, kShownBytes));
  if (value.raw().size() > kShownBytes) shown += "…";
  return {kSenseless, {{"file", file_}, {"value", shown}, {"key", valid_utf8(value.key())}}};
}

Fact<int> ConfigFields::count_of(JsonValue value, Zero zero) const {
  const auto number = one_integer(value);
  const std::int64_t least = zero == Zero::Allowed ? 0 : 1;
  if (!number || *number < least || *number > kLargestCount)
    return Fact<int>::unknown(senseless(value));
  return {static_cast<int>(*number), Origin::Config, place(value)};
}

Fact<int> ConfigFields::count(Keys keys, Zero zero) const {
  const JsonValue value = find(keys);
  if (!value) return Fact<int>::unknown(absent(*keys.begin()));
  return count_of(value, zero);
}

Fact<std::int64_t> ConfigFields::positions(Keys keys) const {
  const JsonValue value = find(keys);
  if (!value) return Fact<std::int64_t>::unknown(absent(*keys.begin()));
  const auto number = value.integer();
  if (!number || *number < 1 || *number > kMostPositions)
    return Fact<std::int64_t>::unknown(senseless(value));
  return {*number, Origin::Config, place(value)};
}

Fact<std::string> ConfigFields::word(Keys keys) const {
  const JsonValue value = find(keys);
  if (!value) return Fact<std::string>::unknown(absent(*keys.begin()));
  const auto text = value.string();
  if (!text || text->empty()) return Fact<std::string>::unknown(senseless(value));
  return {valid_utf8(*text), Origin::Config, place(value)};
}

Fact<bool> ConfigFields::truth(Keys keys) const {
  const JsonValue value = find(keys);
  if (!value) return Fact<bool>::unknown(absent(*keys.begin()));
  const auto truth = value.boolean();
  if (!truth) return Fact<bool>::unknown(senseless(value));
  return {*truth, Origin::Config, place(value)};
}

}  // namespace sx
