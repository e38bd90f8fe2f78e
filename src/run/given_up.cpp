// One JSON array; what a replica's last failure was, and its last start's number.
#include "run/given_up.h"

#include <boost/json.hpp>

#include "run/json_fields.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostModels = 1024;  // a deployment holds fewer replicas
constexpr std::int64_t kMostStart = 1'000'000'000;
constexpr const char* kWhat = "given-up";

}  // namespace

std::string given_up_words(const GivenUp& models) {
  if (models.empty()) return {};
  json::array all;
  for (const auto& [model, lost] : models) {
    all.push_back(json::object{{"model", model},
                               {"cause", lost.cause},
                               {"code", lost.cause_code},
                               {"title", lost.cause_title},
                               {"title_zh", lost.cause_title_chinese},
                               {"report", lost.report},
                               {"start", lost.attempt.start}});
  }
  return json::serialize(json::object{{"models", std::move(all)}});
}

GivenUp read_given_up(const std::string& words) {
  const auto object = json_object(words, kWhat);
  if (!object) return {};
  JsonFields whole(*object, kWhat);
  const auto* all = whole.array("models", kMostModels);
  if (!whole.error()) return {};
  GivenUp models;
  for (const json::value& value : *all) {
    if (!value.is_object()) return {};
    JsonFields fields(value.get_object(), kWhat);
    ReplicaView lost;
    const std::string model = fields.text("model");
    lost.cause = fields.text("cause");
    lost.cause_code = fields.text("code");
    lost.cause_title = fields.text("title");
    lost.cause_title_chinese = fields.text("title_zh");
    lost.report = fields.text("report");
    lost.attempt.start = static_cast<int>(fields.number("start", 0, kMostStart));
    if (!fields.error()) return {};
    models.emplace(model, std::move(lost));
  }
  return models;
}

}  // namespace sx
