// In OpenAI's shape, with an object of ours beside its fields.
#include "gateway/models_page.h"

#include <boost/json.hpp>

namespace sx {
namespace {

namespace json = boost::json;

json::object object_of(const ServedModel& model) {
  // No time is known at which a model was made; a constant keeps answers the same.
  json::object object{
      {"id", model.name}, {"object", "model"}, {"created", 0}, {"owned_by", "sextant"}};
  if (!model.alias_of.empty()) object["root"] = model.alias_of;
  object["sextant"] = json::object{{"state", model.taking > 0 ? "ready"
                                             : model.coming   ? "starting"
                                                              : "unavailable"},
                                   {"replicas", model.replicas},
                                   {"taking", model.taking}};
  return object;
}

}  // namespace

std::string models_page(const std::vector<ServedModel>& models) {
  json::array data;
  for (const ServedModel& model : models) data.push_back(object_of(model));
  return json::serialize(json::object{{"object", "list"}, {"data", std::move(data)}}) + '\n';
}

std::string model_page(const ServedModel& model) {
  return json::serialize(object_of(model)) + '\n';
}

}  // namespace sx
