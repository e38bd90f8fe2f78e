// One walk over the keys of the outermost object.
#include "gateway/body_keys.h"

#include <boost/json.hpp>

#include "gateway/json_cursor.h"

namespace sx {
namespace {

constexpr std::size_t kMostModel = 512;  // a longer name names no model

// A string with its quotes, decoded; empty: it is none, or far too long.
std::optional<std::string> decoded(std::string_view quoted) {
  if (quoted.size() < 2 || quoted.front() != '"' || quoted.size() > kMostModel) return std::nullopt;
  if (quoted.find('\\') == std::string_view::npos)
    return std::string(quoted.substr(1, quoted.size() - 2));
  boost::json::error_code error;
  const auto value = boost::json::parse({quoted.data(), quoted.size()}, error);
  if (error || !value.is_string()) return std::nullopt;
  return std::string(value.get_string());
}

void note(BodyKeys& keys, std::string_view key, std::string_view value, BodyPart part) {
  if (key == "model") {
    keys.model = decoded(value);
    keys.model_is_text = keys.model.has_value();
    keys.model_value = part;
  } else if (key == "stream") {
    keys.stream = value.starts_with("true");
  } else if (key == "messages") {
    keys.messages = part;
  } else if (key == "prompt") {
    keys.prompt = part;
  } else if (key == "input") {
    keys.input = part;
  } else if (key == "system") {
    keys.system = part;
  } else if (key == "instructions") {
    keys.instructions = part;
  } else if (key == "previous_response_id") {
    keys.previous = part;
  } else if (key == "prompt_cache_key") {
    keys.cache_key = part;
  }
}

}  // namespace

BodyKeys find_body_keys(std::string_view json) {
  BodyKeys keys;
  JsonCursor cursor(json);
  if (!cursor.take('{')) return keys;
  keys.front = cursor.at();
  if (cursor.take('}')) {
    keys.object = keys.empty = true;
    return keys;
  }
  while (true) {
    cursor.spaces();
    if (cursor.end() || cursor.here() != '"') return keys;
    const std::string_view key = cursor.string();
    if (key.empty() || !cursor.take(':')) return keys;
    const std::string_view value = cursor.value();
    if (value.empty()) return keys;
    const BodyPart part{static_cast<std::size_t>(value.data() - json.data()), value.size()};
    if (key.find('\\') == std::string_view::npos)
      note(keys, key.substr(1, key.size() - 2), value, part);
    else
      note(keys, decoded(key).value_or(""), value, part);
    if (cursor.take(',')) continue;
    keys.object = cursor.take('}');
    return keys;
  }
}

std::optional<BodyPart> find_form_model(std::string_view body) {
  constexpr std::string_view kName = "name=\"model\"";
  constexpr std::string_view kBlank = "\r\n\r\n";
  const std::size_t at = body.find(kName);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t begin = body.find(kBlank, at);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t from = begin + kBlank.size();
  const std::size_t end = body.find("\r\n", from);
  if (end == std::string_view::npos || end - from > kMostModel) return std::nullopt;
  return BodyPart{from, end - from};
}

std::optional<std::string> model_of_form(std::string_view body) {
  const auto part = find_form_model(body);
  if (!part) return std::nullopt;
  return std::string(part->of(body));
}

void put_model(std::string& body, const BodyKeys& keys, std::string_view model) {
  const std::string quoted =
      boost::json::serialize(boost::json::string(model.data(), model.size()));
  if (keys.model_value.size > 0) {
    body.replace(keys.model_value.at, keys.model_value.size, quoted);
    return;
  }
  body.insert(keys.front, "\"model\":" + quoted + (keys.empty ? "" : ","));
}

void put_form_model(std::string& body, const BodyPart& place, std::string_view model) {
  body.replace(place.at, place.size, model);
}

std::string_view previous_answer(std::string_view body, const BodyKeys& keys) {
  const std::string_view value = keys.previous.of(body);
  const bool text = value.size() > 2 && value.size() <= kMostModel && value.front() == '"';
  return text ? value.substr(1, value.size() - 2) : std::string_view();
}

}  // namespace sx
