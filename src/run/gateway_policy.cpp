// As it lies in deployment.json.
#include "run/gateway_policy.h"

#include <boost/json.hpp>

#include "run/json_fields.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostAliases = 1024;
constexpr RecordName kWhat{"the deployment's gateway settings", "部署的网关设置"};

}  // namespace

json::object gateway_policy_json(const GatewayPolicy& policy) {
  json::object aliases;
  for (const auto& [name, model] : policy.aliases) aliases[name] = model;
  json::object object{{"aliases", std::move(aliases)}, {"default_model", policy.default_model}};
  if (policy.queue) object["queue"] = *policy.queue;
  if (policy.concurrency) object["concurrency"] = *policy.concurrency;
  if (policy.queue_wait) object["queue_wait_s"] = policy.queue_wait->count();
  if (policy.silence) object["silence_s"] = policy.silence->count();
  if (policy.total) object["total_s"] = policy.total->count();
  return object;
}

Result<GatewayPolicy> read_gateway_policy(const json::object& object) {
  JsonFields fields(object, kWhat);
  GatewayPolicy policy;
  policy.default_model = fields.text_or("default_model", "");
  const auto number = [&](std::string_view name, int least, int most) -> std::optional<int> {
    const auto found = fields.number_if(name, least, most);
    return found ? std::optional(static_cast<int>(*found)) : std::nullopt;
  };
  const auto seconds = [&](std::string_view name) -> std::optional<std::chrono::seconds> {
    const auto found = fields.number_if(name, 0, kMostGatewayWait);
    return found ? std::optional(std::chrono::seconds(*found)) : std::nullopt;
  };
  policy.queue = number("queue", 0, kMostGatewayQueue);
  policy.concurrency = number("concurrency", 1, kMostReplicaRequests);
  policy.queue_wait = seconds("queue_wait_s");
  policy.silence = seconds("silence_s");
  policy.total = seconds("total_s");
  if (const auto* aliases = object.contains("aliases") ? fields.object("aliases") : nullptr) {
    if (aliases->size() > kMostAliases) fields.wrong("aliases");
    for (const auto& [name, model] : *aliases) {
      if (!model.is_string() || name.empty()) {
        fields.wrong("aliases");
        break;
      }
      policy.aliases.emplace(name, model.get_string());
    }
  }
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  return policy;
}

}  // namespace sx
