// The deployment as a record in the state folder.
#include "run/deployment.h"

#include <algorithm>
#include <boost/json.hpp>

#include "knowledge/engine_life.h"
#include "run/deployment_json.h"
#include "run/json_fields.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::string_view kSchema = "sextant.deployment/1";
constexpr RecordName kWhat{"the deployment", "部署记录"};
constexpr RecordName kLayout{"a layout", "某个布局"};
constexpr RecordName kLaunch{"a launch", "某个启动项"};
constexpr std::size_t kMostGpus = 256;  // of a replica
constexpr std::size_t kMostLayouts = 64;
constexpr std::int64_t kMostPort = 65535;
constexpr std::int64_t kMostSeconds = 7 * 24 * 3600;

json::object layout_json(const DeployedLayout& layout) {
  json::array replicas;
  for (const EngineLaunch& launch : layout.replicas) replicas.push_back(launch_json(launch));
  return {{"label", layout.label}, {"proves", layout.proves}, {"replicas", std::move(replicas)}};
}

json::array layouts_json(const std::vector<DeployedLayout>& layouts) {
  json::array all;
  for (const DeployedLayout& layout : layouts) all.push_back(layout_json(layout));
  return all;
}

Result<std::vector<DeployedLayout>> read_layouts(const json::array& values) {
  std::vector<DeployedLayout> layouts;
  for (const json::value& value : values) {
    if (!value.is_object())
      return fail(Error::Kind::Damaged, "a layout is no object", "某个布局不是对象");
    JsonFields fields(value.get_object(), kLayout);
    DeployedLayout layout{
        .label = fields.text("label"), .replicas = {}, .proves = fields.text_or("proves", "")};
    const auto* replicas = fields.array("replicas", kMostInLayout);
    if (replicas == nullptr || replicas->empty()) fields.wrong("replicas");
    if (auto good = fields.error(); !good) return std::unexpected(good.error());
    for (const json::value& replica : *replicas) {
      SX_TRY(auto launch, read_launch(replica));
      layout.replicas.push_back(std::move(launch));
    }
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

json::object seconds_json(const std::map<std::string, std::chrono::seconds>& all) {
  json::object object;
  for (const auto& [name, seconds] : all) object[name] = seconds.count();
  return object;
}

json::object patience_json(const PatiencePolicy& patience) {
  json::object object{{"stages_s", seconds_json(patience.stages)}};
  if (patience.stall) object["stall_s"] = patience.stall->count();
  if (patience.warm_up) object["warm_up_s"] = patience.warm_up->count();
  if (patience.drain) object["drain_s"] = patience.drain->count();
  return object;
}

Result<PatiencePolicy> read_patience(const json::object& object) {
  JsonFields fields(object, "patience");
  PatiencePolicy patience;
  const auto seconds = [&](std::string_view name) -> std::optional<std::chrono::seconds> {
    const auto number = fields.number_if(name, 1, kMostSeconds);
    return number ? std::optional(std::chrono::seconds(*number)) : std::nullopt;
  };
  patience.stall = seconds("stall_s");
  patience.warm_up = seconds("warm_up_s");
  patience.drain = seconds("drain_s");
  if (const auto* stages = fields.object("stages_s")) {
    JsonFields inner(*stages, "stages_s");
    for (const auto& [name, value] : *stages)
      patience.stages[std::string(name)] =
          std::chrono::seconds(inner.number(name, 1, kMostSeconds));
    if (auto good = inner.error(); !good) return std::unexpected(good.error());
  }
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  return patience;
}

json::object texts_json(const std::map<std::string, std::string>& texts) {
  json::object object;
  for (const auto& [name, value] : texts) object[name] = value;
  return object;
}

json::object origin_json(const DeploymentOrigin& origin) {
  return {{"file", origin.file},
          {"folder", origin.folder},
          {"environment", texts_json(origin.environment)}};
}

Result<DeploymentOrigin> read_origin(const json::object& object) {
  JsonFields fields(object, "origin");
  DeploymentOrigin origin{.file = fields.text_or("file", ""),
                          .folder = fields.text_or("folder", ""),
                          .environment = {}};
  if (const auto* environment = fields.object("environment")) {
    JsonFields inner(*environment, "environment");
    for (const auto& [name, value] : *environment)
      origin.environment[std::string(name)] = inner.text(name);
    if (auto good = inner.error(); !good) return std::unexpected(good.error());
  }
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  return origin;
}

// What the kernel takes as a word or a variable ends at its first NUL.
bool is_whole(std::string_view text) { return text.find('\0') == std::string_view::npos; }

bool is_variable_name(std::string_view name) {
  return !name.empty() && is_whole(name) && name.find('=') == std::string_view::npos;
}

}  // namespace

bool launched_alike(const EngineLaunch& a, const EngineLaunch& b) {
  EngineLaunch same = b;
  same.weight = a.weight;
  same.most = a.most;
  same.any_gpus = a.any_gpus;
  return a == same;
}

json::object launch_json(const EngineLaunch& launch) {
  json::object environment;
  for (const auto& [name, value] : launch.environment) environment[name] = value;
  json::array words;
  for (const std::string& word : launch.words) words.emplace_back(word);
  json::array gpus;
  for (const int gpu : launch.gpus) gpus.emplace_back(gpu);
  return {{"engine", launch.engine},
          {"words", std::move(words)},
          {"environment", std::move(environment)},
          {"folder", launch.folder},
          {"host", launch.host},
          {"port", launch.port},
          {"model", launch.model},
          {"gpus", std::move(gpus)},
          {"any_gpus", launch.any_gpus},
          {"version", launch.version},
          {"container", launch.container},
          {"container_at", launch.container_at},
          {"cpus", launch.cpus},
          {"weight", launch.weight},
          {"most", launch.most},
          {"key", launch.key}};
}

Result<EngineLaunch> read_launch(const json::value& value) {
  if (!value.is_object())
    return fail(Error::Kind::Damaged, "a launch is no object", "某个启动项不是对象");
  JsonFields fields(value.get_object(), kLaunch);
  EngineLaunch launch;
  launch.engine = fields.text("engine");
  if (engine_life(launch.engine) == nullptr) fields.wrong("engine");
  launch.words = fields.texts("words");
  if (launch.words.empty() || launch.words.front().empty()) fields.wrong("words");
  if (!std::ranges::all_of(launch.words, is_whole)) fields.wrong("words");
  launch.folder = fields.text_or("folder", "");
  launch.host = fields.text_or("host", "127.0.0.1");
  launch.port = static_cast<int>(fields.number("port", 1, kMostPort));
  launch.model = fields.text_or("model", "");
  launch.version = fields.text_or("version", "");
  launch.cpus = fields.text_or("cpus", "");
  launch.container = fields.text_or("container", "");
  const auto most = static_cast<std::int64_t>(launch.words.size());
  launch.container_at = static_cast<int>(fields.number_or("container_at", 0, most, 0));
  launch.key = fields.text_or("key", "");
  launch.any_gpus = fields.truth_or("any_gpus", false);
  launch.weight = static_cast<int>(fields.number_or("weight", 1, kMostReplicaWeight, 1));
  launch.most = static_cast<int>(fields.number_or("most", 0, kMostReplicaRequests, 0));
  if (const auto* environment = fields.object("environment")) {
    for (const auto& [name, text] : *environment) {
      if (!text.is_string() || !is_variable_name(name) || !is_whole(text.get_string())) {
        fields.wrong("environment");
        break;
      }
      launch.environment[std::string(name)] = std::string(text.get_string());
    }
  }
  if (const auto* gpus = fields.array("gpus", kMostGpus)) {
    for (const json::value& gpu : *gpus) {
      json::error_code error;
      const int index = gpu.to_number<int>(error);
      if (error || index < 0) fields.wrong("gpus");
      launch.gpus.push_back(index);
    }
  }
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  return launch;
}

std::string address_of(const Deployment& deployment) {
  const std::string scheme = deployment.gateway.tls.wanted() ? "https://" : "http://";
  return scheme + deployment.host + ':' + std::to_string(deployment.port);
}

std::string deployment_json(const Deployment& deployment) {
  json::array backoff;
  for (const auto wait : deployment.restart.backoff) backoff.emplace_back(wait.count());
  const json::object restart{{"backoff_s", std::move(backoff)},
                             {"tries", deployment.restart.tries},
                             {"healed_s", deployment.restart.healed.count()},
                             {"stop_grace_s", deployment.restart.stop_grace.count()}};
  return json::serialize(json::object{
      {"schema", kSchema},
      {"name", deployment.name},
      {"host", deployment.host},
      {"port", deployment.port},
      {"rungs", layouts_json(deployment.rungs)},
      {"layouts", layouts_json(deployment.layouts)},
      {"restart", restart},
      {"log", {{"file_bytes", deployment.log.file_bytes}, {"files", deployment.log.files}}},
      {"patience", patience_json(deployment.patience)},
      {"origin", origin_json(deployment.origin)},
      {"anyway", deployment.anyway},
      {"key_file", deployment.key_file},
      {"gateway", gateway_policy_json(deployment.gateway)}});
}

Result<Deployment> read_deployment(std::string_view text) {
  SX_TRY(const auto object, json_object(text, kWhat));
  JsonFields fields(object, kWhat);
  Deployment deployment;
  if (fields.text("schema") != kSchema) fields.wrong("schema");
  deployment.name = fields.text("name");
  deployment.host = fields.text_or("host", "127.0.0.1");
  deployment.port = static_cast<int>(fields.number("port", 0, kMostPort));
  deployment.key_file = fields.text_or("key_file", "");
  deployment.anyway = fields.text_or("anyway", "");
  if (object.contains("patience")) {
    if (const auto* patience = fields.object("patience")) {
      SX_TRY(deployment.patience, read_patience(*patience));
    }
  }
  if (object.contains("gateway")) {
    if (const auto* gateway = fields.object("gateway")) {
      SX_TRY(deployment.gateway, read_gateway_policy(*gateway));
    }
  }
  if (object.contains("origin")) {
    if (const auto* origin = fields.object("origin")) {
      SX_TRY(deployment.origin, read_origin(*origin));
    }
  }
  const auto* rungs = fields.array("rungs", kMostLayouts);
  const auto* layouts = fields.array("layouts", kMostLayouts);
  if (layouts == nullptr || layouts->empty()) fields.wrong("layouts");
  if (const auto* restart = fields.object("restart")) {
    JsonFields inner(*restart, "restart");
    RestartPolicy& policy = deployment.restart;
    policy.tries = static_cast<int>(inner.number("tries", 1, 1000));
    policy.healed = std::chrono::seconds(inner.number("healed_s", 0, kMostSeconds));
    policy.stop_grace = std::chrono::seconds(inner.number("stop_grace_s", 0, kMostSeconds));
    policy.backoff.clear();
    if (const auto* waits = inner.array("backoff_s", 100)) {
      for (const json::value& wait : *waits) {
        json::error_code error;
        const auto seconds = wait.to_number<std::int64_t>(error);
        if (error || seconds < 0 || seconds > kMostSeconds) inner.wrong("backoff_s");
        policy.backoff.emplace_back(seconds);
      }
    }
    if (auto good = inner.error(); !good) return std::unexpected(good.error());
  }
  if (const auto* log = fields.object("log")) {
    JsonFields inner(*log, "log");
    deployment.log.file_bytes = inner.number("file_bytes", 4096, std::int64_t{1} << 40U);
    deployment.log.files = static_cast<int>(inner.number("files", 1, 100));
    if (auto good = inner.error(); !good) return std::unexpected(good.error());
  }
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  SX_TRY(deployment.rungs, read_layouts(*rungs));
  SX_TRY(deployment.layouts, read_layouts(*layouts));
  return deployment;
}

}  // namespace sx
