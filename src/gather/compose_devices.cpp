// GPUs, mounts, ports and health checks of a compose service, in their short and their long forms.
#include <algorithm>

#include "base/strings.h"
#include "facts/container_values.h"
#include "facts/local_url.h"
#include "gather/compose_service.h"
#include "gather/manifest_values.h"
#include "read/settings.h"
#include "read/yaml_placed.h"

namespace sx {
namespace {

bool holds(const ComposeText& compose, const YamlNode* list, std::string_view wanted) {
  return list != nullptr && std::ranges::any_of(list->items, [&](const YamlNode& item) {
           return compose.text(&item).text() == wanted;
         });
}

constexpr Text kNoCapabilities{"the reservation of devices has no capabilities",
                               "设备预留没有写 capabilities"};
constexpr Text kUnknownDevices{"the list of devices has variables that are not known here",
                               "设备列表里有这里未知的变量"};

void take_device(const ComposeText& compose, const YamlNode& device, bool reservation,
                 Surroundings& around) {
  if (device.kind != YamlNode::Kind::Map) return;
  const YamlNode* capabilities = device.find("capabilities");
  const YamlNode* driver = device.find("driver");
  const bool for_gpus =
      holds(compose, capabilities, "gpu") || holds(compose, capabilities, "nvidia");
  if (reservation && capabilities == nullptr) {
    const bool nvidia = driver != nullptr && compose.text(driver).text() == "nvidia";
    if (!nvidia) return;
    around.faults.push_back({ManifestFault::Kind::NoCapabilities, "devices", "", device.span});
    around.gpu_count = Fact<int>::unknown(kNoCapabilities);
    return;
  }
  if (reservation && !for_gpus) return;
  if (const YamlNode* ids = device.find("device_ids")) {
    if (device.find("count") != nullptr) {
      around.faults.push_back(
          {ManifestFault::Kind::CountAndDevices, "devices", "", device.find("count")->key_span});
    }
    std::vector<std::string> devices;
    bool complete = ids->kind == YamlNode::Kind::List;
    for (const YamlNode& item : ids->items) {
      const PlacedText id = compose.text(&item);
      complete = complete && id.complete();
      devices.push_back(id.text());
    }
    if (!complete) {
      around.gpu_count = Fact<int>::unknown(kUnknownDevices);
      return;
    }
    around.gpu_count = Fact<int>(static_cast<int>(devices.size()), Origin::Config, ids->span);
    around.gpu_devices =
        Fact<std::vector<std::string>>(std::move(devices), Origin::Config, ids->span);
    return;
  }
  const YamlNode* count = device.find("count");
  const PlacedText text = compose.text(count);
  if (count == nullptr || text.text() == "all" || text.text() == "-1") {
    around.all_gpus =
        Fact<bool>(true, Origin::Config, count == nullptr ? device.span : count->span);
    return;
  }
  around.gpu_count = count_fact(text);
}

// With NVIDIA's runtime a variable says which GPUs are handed in; images made on CUDA's set it to
// all.
void take_runtime(Container& container) {
  Surroundings& around = container.around;
  if (around.runtime.value_or("") != "nvidia" || around.gpu_count || around.all_gpus) return;
  const Setting* said = last_setting(container.environment, "NVIDIA_VISIBLE_DEVICES");
  if (said == nullptr) {
    around.all_gpus = Fact<bool>(true, Origin::Default, around.runtime.span());
    return;
  }
  const Setting& setting = *said;
  if (!setting.complete) return;
  if (setting.value == "all") {
    around.all_gpus = Fact<bool>(true, Origin::Config, setting.span);
    return;
  }
  std::vector<std::string> devices;
  if (setting.value != "void" && setting.value != "none" && !setting.value.empty()) {
    for (const auto part : split(setting.value, ',')) devices.emplace_back(trimmed(part));
  }
  around.gpu_count = Fact<int>(static_cast<int>(devices.size()), Origin::Config, setting.span);
  if (!devices.empty())
    around.gpu_devices =
        Fact<std::vector<std::string>>(std::move(devices), Origin::Config, setting.span);
}

void take_port(const PlacedText& text, Surroundings& around) {
  if (text.source() < 0 || !text.complete()) return;
  for (PublishedPort& port : published_ports(text.text())) {
    port.span = text.span();
    around.ports.push_back(std::move(port));
  }
}

// `curl -f http://localhost:8000/health`, as one text or as a list of words.
void take_question(const ComposeText& compose, const YamlNode& test, HealthProbe& probe) {
  const auto take = [&probe](const PlacedText& text) {
    probe.headers = probe.headers || lower(text.text()).contains("authorization");
    const auto url = text.complete() ? local_url(text.text()) : std::nullopt;
    if (!url || !probe.path.empty()) return;
    probe.path = url->path;
    probe.port = url->port;
    probe.port_span = text.span(url->at, url->end);
    probe.path_span = probe.port_span;
  };
  take(compose.text(&test));
  for (const YamlNode& item : test.items) take(compose.text(&item));
}

constexpr Text kNoSize{"what is mounted at /dev/shm has no size here",
                       "挂到 /dev/shm 的卷没有写明大小"};

void take_shared_memory_mount(const ComposeText& compose, const YamlNode& volume,
                              std::string_view type, Surroundings& around) {
  around.shared_memory = Fact<Bytes>::unknown(kNoSize);
  if (type != "tmpfs") return;
  const YamlNode* tmpfs = volume.find("tmpfs");
  if (tmpfs != nullptr && tmpfs->find("size") != nullptr)
    around.shared_memory = fact_of<Bytes>(compose.text(*tmpfs, "size"), container_size);
}

void take_tmpfs(const ComposeText& compose, const YamlNode* node, Surroundings& around) {
  if (node == nullptr) return;
  const auto take = [&](const PlacedText& text) {
    if (text.text() != "/dev/shm" && !text.text().starts_with("/dev/shm:")) return;
    around.shared_memory = Fact<Bytes>::unknown(kNoSize);
    const auto at = text.text().find("size=");
    if (at == std::string::npos || !text.complete()) return;
    const auto size = container_size(split(text.text().substr(at + 5), ',').front());
    if (size) around.shared_memory = Fact<Bytes>(*size, Origin::Config, text.span());
  };
  if (node->kind == YamlNode::Kind::Scalar) take(compose.text(node));
  for (const YamlNode& item : node->items) take(compose.text(&item));
}

}  // namespace

void take_compose_gpus(const ComposeText& compose, const YamlNode& service, Container& container) {
  const auto path = {"deploy", "resources", "reservations", "devices"};
  const YamlNode* devices = &service;
  for (const auto* key : path) devices = devices == nullptr ? nullptr : devices->find(key);
  if (devices != nullptr) {
    for (const YamlNode& device : devices->items)
      take_device(compose, device, true, container.around);
  }
  if (const YamlNode* gpus = service.find("gpus")) {
    if (compose.text(gpus).text() == "all")
      container.around.all_gpus = Fact<bool>(true, Origin::Config, gpus->span);
    for (const YamlNode& device : gpus->items)
      take_device(compose, device, false, container.around);
  }
  take_runtime(container);
}

void take_compose_ports(const ComposeText& compose, const YamlNode& service, Surroundings& around) {
  const YamlNode* ports = service.find("ports");
  if (ports == nullptr) return;
  for (const YamlNode& item : ports->items) {
    if (item.kind != YamlNode::Kind::Map) {
      take_port(compose.text(&item), around);
      continue;
    }
    PublishedPort port{.span = item.span};
    port.inside = count_fact(compose.text(item, "target")).value_or(0);
    port.host = count_fact(compose.text(item, "published")).value_or(0);
    port.address = compose.text(item, "host_ip").text();
    if (port.inside > 0 && port.inside < 65536 && port.host < 65536) around.ports.push_back(port);
  }
}

void take_compose_mounts(const ComposeText& compose, const YamlNode& service,
                         Surroundings& around) {
  take_tmpfs(compose, service.find("tmpfs"), around);
  const YamlNode* volumes = service.find("volumes");
  if (volumes == nullptr) return;
  for (const YamlNode& item : volumes->items) {
    Mount mount;
    std::string type = "volume";
    if (item.kind == YamlNode::Kind::Map) {
      type = compose.text(item, "type").text();
      mount = {.host = compose.text(item, "source").text(),
               .inside = compose.text(item, "target").text(),
               .read_only = truth_fact(compose.text(item, "read_only")).value_or(false),
               .span = item.span};
    } else {
      const PlacedText text = compose.text(&item);
      if (text.source() < 0 || !text.complete()) continue;
      auto read = volume_mount(text.text());
      if (!read) continue;
      mount = std::move(*read);
      mount.span = text.span();
    }
    if (mount.inside == "/dev/shm") take_shared_memory_mount(compose, item, type, around);
    if (!mount.inside.empty()) around.mounts.push_back(std::move(mount));
  }
}

void take_compose_health(const ComposeText& compose, const YamlNode& service,
                         Surroundings& around) {
  const YamlNode* health = service.find("healthcheck");
  if (health == nullptr || health->kind != YamlNode::Kind::Map) return;
  if (truth_fact(compose.text(*health, "disable")).value_or(false)) return;
  const auto seconds = [](const std::string& value) { return container_duration_s(value); };
  HealthProbe probe{.kind = HealthProbe::Kind::Health, .span = health->key_span};
  probe.initial_delay_s = fact_of<double>(compose.text(*health, "start_period"), seconds);
  probe.period_s = fact_of<double>(compose.text(*health, "interval"), seconds);
  probe.timeout_s = fact_of<double>(compose.text(*health, "timeout"), seconds);
  probe.failures = count_fact(compose.text(*health, "retries"));
  if (const YamlNode* test = health->find("test")) take_question(compose, *test, probe);
  if (health->find("start_period") == nullptr)
    probe.initial_delay_s = default_number("docker-health-start");
  if (health->find("interval") == nullptr)
    probe.period_s = default_number("docker-health-interval");
  if (health->find("timeout") == nullptr) probe.timeout_s = default_number("docker-health-timeout");
  if (health->find("retries") == nullptr) probe.failures = default_count("docker-health-retries");
  around.probes.push_back(std::move(probe));
}

}  // namespace sx
