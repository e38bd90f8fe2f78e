// Config says what runs, HostConfig what it was given. Values of variables that are keys or tokens
// are not kept.
#include "gather/docker_inspect.h"

#include <algorithm>

#include "base/strings.h"
#include "facts/container_values.h"
#include "facts/kept_variables.h"
#include "facts/secret_names.h"
#include "gather/json_words.h"
#include "knowledge/images.h"

namespace sx {
namespace {

constexpr std::size_t kMostOfAList = 256;

Fact<Bytes> size_of(const JsonValue& value, int source) {
  const auto bytes = value.integer();
  if (!bytes || *bytes <= 0) return {};
  return {Bytes{*bytes}, Origin::Config, value.member_span(source)};
}

void take_environment(const JsonValue& list, int source, Command& base) {
  Command all;
  take_json_environment(list, source, all);
  for (auto& setting : all.environment) {
    if (!concerns_engines(setting.name)) continue;
    if (may_name_secret(setting.name)) {
      setting.complete = false;
      setting.value = '$' + setting.name;
    }
    base.environment.push_back(std::move(setting));
  }
}

void take_gpus(const JsonValue& requests, int source, Surroundings& around) {
  for (auto request = requests.first(); request; request = request.next()) {
    const auto count = request["Count"].integer().value_or(0);
    const Span span = request.span(source);
    std::vector<std::string> devices;
    for (auto id = request["DeviceIDs"].first(); id; id = id.next()) {
      if (devices.size() < kMostOfAList) devices.push_back(id.string().value_or(""));
    }
    if (!devices.empty()) {
      around.gpu_devices = {std::move(devices), Origin::Config, span};
    } else if (count < 0) {
      around.all_gpus = {true, Origin::Config, span};
    } else if (count <= 1024) {
      around.gpu_count = {static_cast<int>(count), Origin::Config, span};
    }
  }
}

void take_ports(const JsonValue& bindings, int source, Surroundings& around) {
  for (auto inside = bindings.first(); inside; inside = inside.next()) {
    for (auto host = inside.first(); host; host = host.next()) {
      auto ports = published_ports(host["HostPort"].string().value_or("") + ':' + inside.key());
      for (auto& port : ports) {
        port.address = host["HostIp"].string().value_or("");
        port.span = inside.member_span(source);
        if (around.ports.size() < kMostOfAList) around.ports.push_back(std::move(port));
      }
    }
  }
}

void take_mounts(const JsonValue& binds, int source, Surroundings& around) {
  for (auto bind = binds.first(); bind; bind = bind.next()) {
    auto mount = volume_mount(bind.string().value_or(""));
    if (!mount || around.mounts.size() >= kMostOfAList) continue;
    mount->span = bind.span(source);
    around.mounts.push_back(std::move(*mount));
  }
}

void take_limits(const JsonValue& limits, int source, Surroundings& around) {
  constexpr Bytes kUnlimited{std::int64_t{1} << 60};
  for (auto limit = limits.first(); limit; limit = limit.next()) {
    const auto soft = limit["Soft"].integer();
    const auto name = limit["Name"].string().value_or("");
    if (!soft) continue;
    if (name == "memlock")
      around.locked_memory = {*soft < 0 ? kUnlimited : Bytes{*soft}, Origin::Config,
                              limit.span(source)};
    if (name == "nofile" && *soft <= INT32_MAX)
      around.open_files = {*soft < 0 ? INT32_MAX : static_cast<int>(*soft), Origin::Config,
                           limit.span(source)};
  }
}

void take_host_config(const JsonValue& host, int source, Surroundings& around) {
  around.shared_memory = size_of(host["ShmSize"], source);
  around.memory_limit = size_of(host["Memory"], source);
  const auto text = [&](std::string_view name) { return host[name].string().value_or(""); };
  around.host_ipc = {text("IpcMode") == "host", Origin::Config,
                     host["IpcMode"].member_span(source)};
  around.host_network = {text("NetworkMode") == "host", Origin::Config,
                         host["NetworkMode"].member_span(source)};
  if (const auto privileged = host["Privileged"].boolean())
    around.privileged = {*privileged, Origin::Config, host["Privileged"].member_span(source)};
  if (!text("Runtime").empty())
    around.runtime = {text("Runtime"), Origin::Config, host["Runtime"].member_span(source)};
  if (const auto name = host["RestartPolicy"]["Name"].string())
    around.restart = {*name, Origin::Config, host["RestartPolicy"].member_span(source)};
  take_gpus(host["DeviceRequests"], source, around);
  take_ports(host["PortBindings"], source, around);
  take_mounts(host["Binds"], source, around);
  take_limits(host["Ulimits"], source, around);
}

}  // namespace

bool is_inspected_container(const JsonValue& value) {
  return value.is(JsonKind::Object) && value["Config"].is(JsonKind::Object) &&
         value["HostConfig"].is(JsonKind::Object);
}

InspectedContainer inspected_container(const Sources& sources, const JsonValue& value, int source) {
  InspectedContainer container;
  const JsonValue config = value["Config"];
  Surroundings& around = container.around;
  around.kind = Surroundings::Kind::Docker;
  if (const auto name = value["Name"].string()) around.name = *name;
  if (const auto image = config["Image"].string()) {
    around.image = {*image, Origin::Config, config["Image"].span(source)};
    const ImageName parts = image_name(*image);
    if (!parts.tag.empty())
      around.image_tag = {std::string(parts.tag), Origin::Config, config["Image"].span(source)};
  }
  if (const auto user = config["User"].string(); user && !user->empty())
    around.user = {*user, Origin::Config, config["User"].member_span(source)};
  if (const auto folder = config["WorkingDir"].string(); folder && !folder->empty())
    around.working_folder = {*folder, Origin::Config, config["WorkingDir"].member_span(source)};
  take_host_config(value["HostConfig"], source, around);

  const JsonValue words = config["Cmd"].size() > 0 ? config["Cmd"] : config["Entrypoint"];
  container.base = json_base(sources, words ? words : config, source);
  take_environment(config["Env"], source, container.base);
  container.words.entrypoint = json_words(config["Entrypoint"], source);
  container.words.arguments = json_words(config["Cmd"], source);
  return container;
}

}  // namespace sx
