// Units, and what an override of a model's config is about.
#include "engines/argparse/conversions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/strings.h"
#include "engines/argparse/json_flags.h"
#include "read/json.h"

namespace sx::argparse {
namespace {

bool stretches(JsonValue object, int depth = 0) {
  static constexpr std::array<std::string_view, 5> kKeys{"rope_scaling", "rope_parameters",
                                                         "rope_theta", "max_position_embeddings",
                                                         "original_max_position_embeddings"};
  for (JsonValue value = object.first(); value; value = value.next()) {
    if (std::ranges::find(kKeys, std::string_view(value.key())) != kKeys.end()) return true;
    if (depth < 2 && value.is(JsonKind::Object) && stretches(value, depth + 1)) return true;
  }
  return false;
}

}  // namespace

Tokens to_tokens(std::int64_t count) { return Tokens{count}; }
Bytes to_bytes(std::int64_t count) { return Bytes{count}; }

Bytes gib_to_bytes(double size) {
  // Larger sizes are mistakes; the limit keeps the product inside 64 bits.
  constexpr double kMost = 1e9;
  if (std::isnan(size)) return {};
  return Bytes{static_cast<std::int64_t>(std::clamp(size, -kMost, kMost) * 1024 * 1024 * 1024)};
}

Fact<bool> stretches_context(const Fact<std::string>& overrides) {
  if (!overrides.known()) {
    const auto& why = overrides.why_unknown();
    return why.empty() ? Fact<bool>(false, Origin::Default) : Fact<bool>::unknown(why);
  }
  const std::string& text = overrides.value();
  const auto document = JsonDocument::parse(text);
  const bool yes = document && document->root().is(JsonKind::Object) && stretches(document->root());
  return {yes, Origin::Flag, overrides.span()};
}

std::string json_object(const std::vector<Member>& members) {
  std::vector<std::string> parts;
  for (const Member& member : members) {
    const std::string value = member.quoted ? json_quoted(member.value) : member.value;
    parts.push_back(json_quoted(member.key) + ": " + value);
  }
  return '{' + join(parts, ", ") + '}';
}

}  // namespace sx::argparse
