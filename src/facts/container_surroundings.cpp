// One option at a time; the last of a kind counts, lists grow.
#include "facts/container_surroundings.h"

#include <algorithm>

#include "base/strings.h"
#include "facts/container_values.h"
#include "facts/local_url.h"
#include "knowledge/images.h"
#include "read/amounts.h"

namespace sx {
namespace {

constexpr std::size_t kMostOfAList = 256;  // mounts and ports that are kept
constexpr Text kUnreadable{"the value of {option} cannot be known here",
                           "这里无法确定 {option} 的值"};

template <class T>
Fact<T> said(const ContainerOption& option, std::optional<T> value) {
  if (!option.complete || !value) return Fact<T>::unknown({kUnreadable, {{"option", option.name}}});
  return Fact<T>(std::move(*value), Origin::Flag, option.span);
}

Fact<std::string> said_text(const ContainerOption& option) {
  return said<std::string>(option, option.value);
}

// --privileged, --privileged=false
Fact<bool> said_switch(const ContainerOption& option) {
  return said<bool>(option, option.value != "false" && option.value != "0");
}

void take_gpus(const ContainerOption& option, Surroundings& around) {
  const GpuRequest request = gpu_request(option.value);
  around.all_gpus = {};
  around.gpu_count = {};
  around.gpu_devices = {};
  if (!option.complete || !request.understood || request.count_and_devices) {
    around.gpu_count = said<int>(option, std::nullopt);
  } else if (!request.devices.empty()) {
    around.gpu_devices = said<std::vector<std::string>>(option, request.devices);
  } else if (request.all) {
    around.all_gpus = said<bool>(option, true);
  } else if (request.count) {
    around.gpu_count = said<int>(option, request.count);
  }
}

// CDI names (nvidia.com/gpu=0) and AMD's device nodes; a bare /dev/nvidia0 tells little.
void take_device(const ContainerOption& option, Surroundings& around) {
  constexpr std::string_view kCdi = "nvidia.com/gpu=";
  if (option.value.starts_with(kCdi)) {
    const std::string device = option.value.substr(kCdi.size());
    if (device == "all") {
      around.all_gpus = said<bool>(option, true);
      return;
    }
    auto devices = around.gpu_devices.value_or({});
    if (devices.size() < kMostOfAList) devices.push_back(device);
    around.gpu_devices = said<std::vector<std::string>>(option, std::move(devices));
  } else if (option.value.starts_with("/dev/dri") || option.value.starts_with("/dev/kfd")) {
    around.all_gpus = said<bool>(option, true);
  }
}

void take_ulimit(const ContainerOption& option, Surroundings& around) {
  const auto equals = option.value.find('=');
  if (equals == std::string::npos) return;
  const std::string_view name = std::string_view(option.value).substr(0, equals);
  const std::string_view limits = std::string_view(option.value).substr(equals + 1);
  const auto soft = to_integer(limits.substr(0, limits.find(':')));
  if (name == "memlock") {
    std::optional<Bytes> bytes;
    if (soft) bytes = *soft < 0 ? kUnlimited : Bytes{*soft};
    around.locked_memory = said<Bytes>(option, bytes);
  } else if (name == "nofile") {
    std::optional<int> count;
    if (soft && *soft <= INT32_MAX) count = *soft < 0 ? INT32_MAX : static_cast<int>(*soft);
    around.open_files = said<int>(option, count);
  }
}

void take_mount(const ContainerOption& option, std::optional<Mount> mount, Surroundings& around) {
  if (!mount || around.mounts.size() >= kMostOfAList) return;
  mount->span = option.span;
  around.mounts.push_back(std::move(*mount));
}

// /dev/shm may be a file system of its own, or the host's.
void take_shared_memory_mount(const ContainerOption& option, Surroundings& around) {
  const bool at_shm = option.value.contains("/dev/shm");
  if (!at_shm) return;
  if (option.name == "--tmpfs" || option.value.contains("type=tmpfs")) {
    constexpr std::string_view kSize = "size=";
    const auto at = option.value.find(kSize);
    if (at == std::string::npos) return;
    const std::string_view rest = std::string_view(option.value).substr(at + kSize.size());
    around.shared_memory = said<Bytes>(option, container_size(rest.substr(0, rest.find(','))));
  } else if (option.name == "--volume" || option.name == "--mount") {
    around.host_ipc = said<bool>(option, true);
  }
}

void take_ipc(const ContainerOption& option, Surroundings& around) {
  if (option.value == "host") {
    around.host_ipc = said<bool>(option, true);
  } else if (option.value.starts_with("container:") || option.value == "none") {
    around.host_ipc = said<bool>(option, std::nullopt);
  }
}

void take_ports(const ContainerOption& option, Surroundings& around) {
  if (!option.complete) return;
  for (auto& port : published_ports(option.value)) {
    if (around.ports.size() >= kMostOfAList) return;
    port.span = option.span;
    around.ports.push_back(std::move(port));
  }
}

HealthProbe& health_of(Surroundings& around) {
  if (around.probes.empty()) around.probes.push_back({});
  return around.probes.front();
}

void take_health(const ContainerOption& option, Surroundings& around) {
  HealthProbe& probe = health_of(around);
  const auto seconds = said<double>(option, container_duration_s(option.value));
  if (option.name == "--health-start-period") probe.initial_delay_s = seconds;
  if (option.name == "--health-interval") probe.period_s = seconds;
  if (option.name == "--health-timeout") probe.timeout_s = seconds;
  if (option.name == "--health-retries") {
    const auto count = to_integer(option.value);
    probe.failures = said<int>(option, count && *count >= 0 && *count < 1'000'000
                                           ? std::optional(static_cast<int>(*count))
                                           : std::nullopt);
  }
  if (option.name == "--health-cmd") {
    probe.span = option.span;
    probe.headers = lower(option.value).contains("authorization");
    const auto url = option.complete ? local_url(option.value) : std::nullopt;
    if (option.value.contains("/health")) probe.path = "/health";
    if (url) {
      probe.path = url->path;
      probe.port = url->port;
      probe.port_span = option.span;
      probe.path_span = option.span;
    }
  }
}

void take(const ContainerOption& option, Surroundings& around) {
  const std::string& name = option.name;
  if (name == "--gpus") take_gpus(option, around);
  if (name == "--device") take_device(option, around);
  if (name == "--ulimit") take_ulimit(option, around);
  if (name == "--ipc") take_ipc(option, around);
  if (name == "--publish") take_ports(option, around);
  if (name.starts_with("--health-")) take_health(option, around);
  if (name == "--volume") take_mount(option, volume_mount(option.value), around);
  if (name == "--mount") take_mount(option, option_mount(option.value), around);
  if (name == "--volume" || name == "--mount" || name == "--tmpfs")
    take_shared_memory_mount(option, around);
  if (name == "--shm-size")
    around.shared_memory = said<Bytes>(option, container_size(option.value));
  if (name == "--memory") around.memory_limit = said<Bytes>(option, container_size(option.value));
  if (name == "--cpus") around.cpu_limit = said<double>(option, to_number(option.value));
  if (name == "--network" || name == "--net")
    around.host_network = said<bool>(option, option.value == "host");
  if (name == "--privileged") around.privileged = said_switch(option);
  if (name == "--user") around.user = said_text(option);
  if (name == "--runtime") around.runtime = said_text(option);
  if (name == "--restart") around.restart = said_text(option);
  if (name == "--workdir") around.working_folder = said_text(option);
  if (name == "--name") around.name = option.value;
  if (name == "--stop-timeout")
    around.stop_timeout_s = said<double>(option, to_number(option.value));
}

// With the NVIDIA runtime a variable says which GPUs are handed in, where --gpus does not.
void take_runtime_variable(const ContainerLine& line, Surroundings& around) {
  if (option_of(line, "--gpus") != nullptr) return;
  for (const ContainerOption& option : line.options) {
    constexpr std::string_view kName = "NVIDIA_VISIBLE_DEVICES=";
    if (option.name != "--env" || !option.value.starts_with(kName)) continue;
    const std::string value = option.value.substr(kName.size());
    if (value == "all") {
      around.all_gpus = said<bool>(option, true);
    } else if (value == "void" || value == "none" || value.empty()) {
      around.gpu_count = said<int>(option, 0);
    } else {
      std::vector<std::string> devices;
      for (const auto device : split(value, ',')) {
        if (devices.size() < kMostOfAList) devices.emplace_back(trimmed(device));
      }
      around.gpu_devices = said<std::vector<std::string>>(option, std::move(devices));
    }
  }
}

void take_image(const Word& word, Surroundings& around) {
  if (!word.complete) {
    around.image = Fact<std::string>::unknown({kUnreadable, {{"option", word.text}}});
    return;
  }
  around.image = {word.text, Origin::Flag, word.span};
  const ImageName name = image_name(word.text);
  if (!name.tag.empty()) around.image_tag = {std::string(name.tag), Origin::Flag, word.span};
}

}  // namespace

Surroundings surroundings_of(const ContainerLine& line, std::span<const Word> words) {
  Surroundings around;
  around.kind = line.verb == ContainerLine::Verb::Kubectl ? Surroundings::Kind::Kubernetes
                                                          : Surroundings::Kind::Docker;
  // What an exec does not say was said when the container was started.
  if (line.verb != ContainerLine::Verb::Run) {
    around.name = words[line.image].text;
    around.joined = true;
    return around;
  }
  for (const ContainerOption& option : line.options) take(option, around);
  take_runtime_variable(line, around);
  take_image(words[line.image], around);
  return around;
}

std::vector<Setting> environment_of(const ContainerLine& line, std::span<const Word> words,
                                    std::span<const Setting> outer) {
  std::vector<Setting> settings;
  for (const ContainerOption& option : line.options) {
    if (option.name != "--env" || !option.has_value) continue;
    const std::size_t at = option.first_word + option.word_count - 1;
    const Word& word = words[at];
    const auto equals = option.value.find('=');
    Setting setting{.name = option.value.substr(0, equals),
                    .span = word.span,
                    .literal = word.literal,
                    .complete = word.complete,
                    .front = at};
    if (word.literal && word.span.end - word.span.begin == word.text.size())
      setting.span.begin += option.value_at;
    if (equals != std::string::npos) {
      setting.value = option.value.substr(equals + 1);
    } else {
      setting.complete = false;
      for (const Setting& known : outer) {
        if (known.name != setting.name) continue;
        setting.value = known.value;
        setting.complete = known.complete;
      }
      // Not in this text: the caller's own, whatever it is.
      if (!setting.complete && setting.value.empty()) setting.value = '$' + setting.name;
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace sx
