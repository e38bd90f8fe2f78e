// As it lies in deployment.json.
#include "run/gateway_policy.h"

#include <algorithm>
#include <boost/json.hpp>

#include "run/json_fields.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostAliases = 1024;
constexpr RecordName kWhat{"the deployment's gateway settings", "部署的网关设置"};

}  // namespace

std::vector<std::string> alias_chain(const std::string& name,
                                     const std::map<std::string, std::string>& aliases) {
  std::vector<std::string> chain{name};
  for (auto next = aliases.find(name); next != aliases.end(); next = aliases.find(next->second)) {
    const bool again = std::ranges::find(chain, next->second) != chain.end();
    chain.push_back(next->second);
    if (again) break;
  }
  return chain;
}

json::object gateway_policy_json(const GatewayPolicy& policy) {
  json::object aliases;
  for (const auto& [name, model] : policy.aliases) aliases[name] = model;
  json::object object{{"aliases", std::move(aliases)}, {"default_model", policy.default_model}};
  if (policy.tls.wanted()) {
    object["tls_certificate"] = policy.tls.certificate;
    object["tls_key"] = policy.tls.key;
  }
  if (!policy.otlp_endpoint.empty()) object["otlp_endpoint"] = policy.otlp_endpoint;
  if (policy.otlp_sample) object["otlp_sample"] = *policy.otlp_sample;
  if (policy.queue) object["queue"] = *policy.queue;
  if (policy.concurrency) object["concurrency"] = *policy.concurrency;
  if (policy.queue_wait) object["queue_wait_s"] = policy.queue_wait->count();
  if (policy.silence) object["silence_s"] = policy.silence->count();
  if (policy.total) object["total_s"] = policy.total->count();
  if (policy.body) object["body_s"] = policy.body->count();
  return object;
}

Result<GatewayPolicy> read_gateway_policy(const json::object& object) {
  JsonFields fields(object, kWhat);
  GatewayPolicy policy;
  policy.default_model = fields.text_or("default_model", "");
  policy.tls = {.certificate = fields.text_or("tls_certificate", ""),
                .key = fields.text_or("tls_key", "")};
  policy.otlp_endpoint = fields.text_or("otlp_endpoint", "");
  if (policy.tls.certificate.empty() != policy.tls.key.empty()) fields.wrong("tls_key");
  if (const json::value* sample = object.if_contains("otlp_sample")) {
    json::error_code error;
    policy.otlp_sample = sample->to_number<double>(error);
    if (error || !(*policy.otlp_sample >= 0 && *policy.otlp_sample <= 1))
      fields.wrong("otlp_sample");
  }
  const auto number = [&](std::string_view name, int least, int most) -> std::optional<int> {
    const auto found = fields.number_if(name, least, most);
    return found ? std::optional(static_cast<int>(*found)) : std::nullopt;
  };
  const auto seconds = [&](std::string_view name) -> std::optional<std::chrono::seconds> {
    const auto found = fields.number_if(name, 0, kMostGatewayWait);
    return found ? std::optional(std::chrono::seconds(*found)) : std::nullopt;
  };
  policy.queue = number("queue", 0, kMostGatewayQueue);
  policy.concurrency = number("concurrency", 0, kMostReplicaRequests);
  policy.queue_wait = seconds("queue_wait_s");
  policy.silence = seconds("silence_s");
  policy.total = seconds("total_s");
  policy.body = seconds("body_s");
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
