// JSON in, JSON out: members stay as they were typed.
#include "rules/model/rope_override.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "knowledge/context_stretch.h"
#include "read/json.h"

namespace sx::rules {
namespace {

std::string member_text(JsonValue member) {
  return '"' + std::string(member.raw_key()) + "\": " + std::string(member.raw());
}

std::string joined(const std::string& some, const std::string& more) {
  if (some.empty() || more.empty()) return some + more;
  return some + ", " + more;
}

void read_members(RopeOverride& rope, JsonValue object) {
  for (JsonValue member = object.first(); member; member = member.next()) {
    rope.members = joined(rope.members, member_text(member));
  }
  rope.type = object["rope_type"].string().value_or(object["type"].string().value_or(""));
  rope.factor = object["factor"].number();
  rope.original = object["original_max_position_embeddings"].integer();
  rope.has_theta = static_cast<bool>(object["rope_theta"]);
}

bool is_rope(std::string_view key) { return key == "rope_scaling" || key == "rope_parameters"; }

// rope_theta where a config has it: at the top, in its part for text, or beside the scaling.
std::optional<std::int64_t> theta_in(JsonValue config) {
  for (const JsonValue part : {config, config["text_config"]}) {
    for (const JsonValue place : {part, part["rope_parameters"], part["rope_scaling"]}) {
      if (const auto theta = place["rope_theta"].integer(); theta && *theta > 0) return theta;
    }
  }
  return {};
}

}  // namespace

std::optional<RopeOverride> rope_override(std::string_view overrides) {
  const auto document = JsonDocument::parse(overrides);
  if (!document || !document->root().is(JsonKind::Object)) return {};
  RopeOverride rope;
  for (JsonValue member = document->root().first(); member; member = member.next()) {
    if (is_rope(member.key()) && member.is(JsonKind::Object)) {
      rope.key = member.key();
      read_members(rope, member);
    } else if (!is_rope(member.key())) {
      rope.others = joined(rope.others, member_text(member));
    }
  }
  if (rope.key.empty()) return {};
  const JsonValue root = document->root();
  rope.says_length = root["max_position_embeddings"] || root["model_max_length"];
  rope.has_theta = rope.has_theta || root["rope_theta"];
  return rope;
}

std::optional<std::int64_t> rope_theta(const Case& c) {
  const ModelSpec& model = c.model();
  if (!model.folder.empty()) {
    for (const Source& source : c.sources->all()) {
      const bool config = source.kind == SourceKind::File && source.name == "config.json" &&
                          source.uri.starts_with(model.folder);
      if (!config) continue;
      const auto document = JsonDocument::parse(source.text);
      if (document && document->root().is(JsonKind::Object)) return theta_in(document->root());
    }
  }
  const auto stretch = context_stretch(model.id);
  if (!stretch || stretch->rope_theta < 1) return {};
  return stretch->rope_theta;
}

std::optional<std::string> completed(const Case& c, const RopeOverride& rope) {
  std::string members = rope.members;
  if (!rope.has_theta) {
    const auto theta = rope_theta(c);
    if (!theta) return {};
    members = joined(members, fmt::format("\"rope_theta\": {}", *theta));
  }
  std::string others = rope.others;
  if (!rope.says_length && rope.type == "yarn" && rope.factor && *rope.factor >= 1) {
    const auto original = rope.original ? rope.original
                          : c.model().config_positions.known()
                              ? std::optional(c.model().config_positions.value())
                              : std::nullopt;
    if (!original || *original < 1 || static_cast<double>(*original) * *rope.factor > 1e9)
      return {};
    const auto length = static_cast<std::int64_t>(static_cast<double>(*original) * *rope.factor);
    others = joined(others, fmt::format("\"max_position_embeddings\": {}", length));
  }
  return "{" + joined("\"rope_parameters\": {" + members + "}", others) + "}";
}

std::optional<std::string> override_of_rope_scaling(const Case& c, std::string_view rope_scaling) {
  const auto rope = rope_override("{\"rope_parameters\": " + std::string(rope_scaling) + "}");
  if (!rope) return {};
  return completed(c, *rope);
}

}  // namespace sx::rules
