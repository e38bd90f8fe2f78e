// The deployment as a record in the state folder.
#include "run/deployment.h"

#include <algorithm>
#include <boost/json.hpp>

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

// What the kernel takes as a word or a variable ends at its first NUL.
bool is_whole(std::string_view text) { return text.find('\0') == std::string_view::npos; }

bool is_variable_name(std::string_view name) {
  return !name.empty() && is_whole(name) && name.find('=') == std::string_view::npos;
}

}  // namespace

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
          {"cpus", launch.cpus},
          {"key", launch.key}};
}

Result<EngineLaunch> read_launch(const json::value& value) {
  if (!value.is_object())
    return fail(Error::Kind::Damaged, "a launch is no object", "某个启动项不是对象");
  JsonFields fields(value.get_object(), kLaunch);
  EngineLaunch launch;
  launch.engine = fields.text("engine");
  launch.words = fields.texts("words");
  if (launch.words.empty() || launch.words.front().empty()) fields.wrong("words");
  if (!std::ranges::all_of(launch.words, is_whole)) fields.wrong("words");
  launch.folder = fields.text_or("folder", "");
  launch.host = fields.text_or("host", "127.0.0.1");
  launch.port = static_cast<int>(fields.number("port", 1, kMostPort));
  launch.model = fields.text_or("model", "");
  launch.cpus = fields.text_or("cpus", "");
  launch.key = fields.text_or("key", "");
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
      {"key_file", deployment.key_file}});
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
