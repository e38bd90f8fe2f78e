// Questions to a parsed JSON value: members, numbers, texts, places.
#include <charconv>
#include <cmath>

#include "read/json.h"
#include "read/json_keys.h"

namespace sx {
namespace {

std::string_view without_quotes(std::string_view text) { return text.substr(1, text.size() - 2); }

bool same_key(std::string_view written, std::string_view key) {
  if (written.find('\\') == std::string_view::npos) return written == key;
  return json_unescaped(written) == key;
}

}  // namespace

JsonValue JsonDocument::root() const { return nodes_.empty() ? JsonValue{} : JsonValue{this, 0}; }

JsonKind JsonValue::kind() const { return document_ == nullptr ? JsonKind::Null : node().kind; }

JsonValue JsonValue::first() const {
  if (document_ == nullptr || node().count == 0) return {};
  return {document_, node_ + 1};
}

JsonValue JsonValue::next() const {
  if (document_ == nullptr || node().next == 0) return {};
  return {document_, node().next};
}

JsonValue JsonValue::operator[](std::string_view key) const {
  JsonValue found;
  if (!is(JsonKind::Object)) return found;
  for (JsonValue member = first(); member; member = member.next()) {
    if (same_key(member.raw_key(), key)) found = member;
  }
  return found;
}

std::size_t JsonValue::size() const { return document_ == nullptr ? 0 : node().count; }

std::vector<JsonValue> JsonValue::elements() const {
  std::vector<JsonValue> all;
  all.reserve(size());
  for (JsonValue value = first(); value; value = value.next()) all.push_back(value);
  return all;
}

std::string_view JsonValue::raw_key() const {
  if (document_ == nullptr || node().key_begin == node().key_end) return {};
  return document_->text_.substr(node().key_begin + 1, node().key_end - node().key_begin - 2);
}

std::string JsonValue::key() const { return json_unescaped(raw_key()); }

std::string_view JsonValue::raw() const {
  if (document_ == nullptr) return {};
  return document_->text_.substr(node().begin, node().end - node().begin);
}

std::optional<std::int64_t> JsonValue::integer() const {
  if (!is(JsonKind::Number)) return {};
  const std::string_view text = raw();
  std::int64_t whole = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (problem == std::errc{} && end == text.data() + text.size()) return whole;
  if (text.find_first_of(".eE") == std::string_view::npos) return {};
  const auto value = number();
  constexpr double kExact = 9007199254740992.0;  // 2^53: beyond it a double skips whole numbers
  if (!value || std::trunc(*value) != *value || std::abs(*value) > kExact) return {};
  return static_cast<std::int64_t>(*value);
}

std::optional<double> JsonValue::number() const {
  if (!is(JsonKind::Number)) return {};
  const std::string_view text = raw();
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return {};
  return value;
}

std::optional<bool> JsonValue::boolean() const {
  if (!is(JsonKind::Bool)) return {};
  return raw() == "true";
}

std::optional<std::string> JsonValue::string() const {
  if (!is(JsonKind::String)) return {};
  return json_unescaped(without_quotes(raw()));
}

Span JsonValue::span(int source) const {
  if (document_ == nullptr) return {};
  return {.source = source, .begin = node().begin, .end = node().end};
}

Span JsonValue::member_span(int source) const {
  Span all = span(source);
  if (document_ != nullptr && node().key_begin != node().key_end) all.begin = node().key_begin;
  return all;
}

}  // namespace sx
