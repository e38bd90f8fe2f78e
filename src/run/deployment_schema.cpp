// JSON schema, draft 7: what editors of TOML understand.
#include <boost/json.hpp>

#include "run/deployment_keys.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr int kMostModels = 16;

json::object number_schema(const DeploymentKey& key) {
  return {{"type", "integer"}, {"minimum", key.least}, {"maximum", key.most}};
}

json::object value_schema(const DeploymentKey& key) {
  const json::object text{{"type", "string"}};
  if (key.takes == "number") return number_schema(key);
  if (key.takes == "ratio")
    return {{"type", "number"}, {"minimum", key.least}, {"maximum", key.most}};
  if (key.takes == "truth") return {{"type", "boolean"}};
  if (key.takes == "numbers")
    return {{"type", "array"}, {"minItems", 1}, {"items", number_schema(key)}};
  if (key.takes == "each") {
    const json::object several{{"type", "array"}, {"minItems", 1}, {"items", number_schema(key)}};
    return {{"anyOf", json::array{number_schema(key), several}}};
  }
  if (key.takes == "table") return {{"type", "object"}, {"additionalProperties", text}};
  if (key.takes == "words") {
    return {
        {"anyOf", json::array{json::object{{"type", "string"}, {"minLength", 1}},
                              json::object{{"type", "array"}, {"minItems", 1}, {"items", text}}}}};
  }
  if (key.takes == "seconds") {
    json::object stages;
    for (const std::string_view stage : start_stages()) stages[stage] = number_schema(key);
    return {{"type", "object"}, {"additionalProperties", false}, {"properties", std::move(stages)}};
  }
  json::object schema = text;
  if (!key.choices.empty()) {
    json::array choices;
    for (const std::string_view choice : key.choices) choices.emplace_back(choice);
    schema["enum"] = std::move(choices);
  }
  return schema;
}

json::object empty_table() {
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", json::object{}}};
}

}  // namespace

std::string deployment_schema() {
  json::object root = empty_table();
  json::object model = empty_table();
  for (const DeploymentKey& key : deployment_keys()) {
    json::object schema = value_schema(key);
    schema["description"] = key.means.in(Language::English);
    if (!key.otherwise.empty() && (key.takes == "number" || key.takes == "ratio" ||
                                   key.takes == "numbers" || key.takes == "each"))
      schema["default"] = json::parse(key.otherwise);
    const std::size_t dot = key.key.find('.');
    json::object* into = &root["properties"].as_object();
    if (dot != std::string_view::npos) {
      const std::string_view table = key.key.substr(0, dot);
      if (table == "model") {
        into = &model["properties"].as_object();
      } else {
        if (!into->contains(table)) (*into)[table] = empty_table();
        into = &(*into)[table].as_object()["properties"].as_object();
      }
    }
    const bool below = dot != std::string_view::npos;
    (*into)[below ? key.key.substr(dot + 1) : key.key] = std::move(schema);
  }
  // Both where the command has a place for the model.
  model["anyOf"] = json::array{json::object{{"required", json::array{"id"}}},
                               json::object{{"required", json::array{"command"}}}};
  json::object several{
      {"type", "array"}, {"minItems", 1}, {"maxItems", kMostModels}, {"items", model}};
  root["properties"].as_object()["model"] =
      json::object{{"anyOf", json::array{std::move(model), std::move(several)}}};
  root["required"] = json::array{"model"};
  root["$schema"] = "http://json-schema.org/draft-07/schema#";
  root["title"] = "sextant.toml";
  return json::serialize(root);
}

}  // namespace sx
