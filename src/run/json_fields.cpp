// Boost.JSON behind checks.
#include "run/json_fields.h"

#include <boost/json.hpp>

namespace sx {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20U;
constexpr std::size_t kMostTexts = 100'000;

// Latin letters stand off from the Chinese behind them.
std::string before_han(std::string_view name) {
  const bool latin = !name.empty() && static_cast<unsigned char>(name.back()) < 0x80;
  return std::string(name) + (latin ? " " : "");
}

}  // namespace

Result<boost::json::object> json_object(std::string_view text, const RecordName& what) {
  const std::string english(what.english);
  const std::string chinese = before_han(what.chinese);
  if (text.size() > kMostBytes)
    return fail(Error::Kind::TooLarge, english + " is longer than 16 MiB", chinese + "超过 16 MiB");
  boost::json::parse_options options;
  options.max_depth = 32;
  options.allow_invalid_utf8 = true;  // paths and variables are bytes, and come back as they were
  boost::json::error_code error;
  boost::json::value value =
      boost::json::parse({text.data(), text.size()}, error, boost::json::storage_ptr(), options);
  if (error || !value.is_object())
    return fail(Error::Kind::Damaged, english + " is not a JSON object",
                chinese + "不是 JSON 对象");
  return std::move(value.get_object());
}

std::string text_in(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

void JsonFields::wrong(std::string_view name) {
  if (wrong_.empty()) wrong_ = name;
}

Result<void> JsonFields::error() const {
  if (wrong_.empty()) return {};
  const std::string english(what_.english), chinese(what_.chinese);
  return fail(Error::Kind::Damaged, english + ": " + wrong_ + " is missing or not as it should be",
              chinese + "：" + wrong_ + " 缺失或取值不对");
}

std::string JsonFields::text(std::string_view name) {
  const auto* value = object_.if_contains(name);
  if (value == nullptr || !value->is_string()) {
    wrong(name);
    return {};
  }
  return std::string(value->get_string());
}

std::string JsonFields::text_or(std::string_view name, std::string_view otherwise) {
  return object_.contains(name) ? text(name) : std::string(otherwise);
}

std::optional<std::int64_t> JsonFields::number_if(std::string_view name, std::int64_t least,
                                                  std::int64_t most) {
  const auto* value = object_.if_contains(name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  boost::json::error_code error;
  const auto number = value->to_number<std::int64_t>(error);
  if (error || number < least || number > most) {
    wrong(name);
    return std::nullopt;
  }
  return number;
}

std::int64_t JsonFields::number(std::string_view name, std::int64_t least, std::int64_t most) {
  const auto number = number_if(name, least, most);
  if (!number) wrong(name);
  return number.value_or(least);
}

std::int64_t JsonFields::number_or(std::string_view name, std::int64_t least, std::int64_t most,
                                   std::int64_t otherwise) {
  return number_if(name, least, most).value_or(otherwise);
}

bool JsonFields::truth_or(std::string_view name, bool otherwise) {
  const auto* value = object_.if_contains(name);
  if (value == nullptr) return otherwise;
  if (!value->is_bool()) wrong(name);
  return value->is_bool() ? value->get_bool() : otherwise;
}

std::vector<std::string> JsonFields::texts(std::string_view name) {
  std::vector<std::string> all;
  const auto* list = array(name, kMostTexts);
  if (list == nullptr) return all;
  for (const auto& value : *list) {
    if (!value.is_string()) {
      wrong(name);
      return {};
    }
    all.emplace_back(value.get_string());
  }
  return all;
}

const boost::json::object* JsonFields::object(std::string_view name) {
  const auto* value = object_.if_contains(name);
  if (value == nullptr || !value->is_object()) {
    wrong(name);
    return nullptr;
  }
  return &value->get_object();
}

const boost::json::array* JsonFields::array(std::string_view name, std::size_t most) {
  const auto* value = object_.if_contains(name);
  if (value == nullptr || !value->is_array() || value->get_array().size() > most) {
    wrong(name);
    return nullptr;
  }
  return &value->get_array();
}

}  // namespace sx
