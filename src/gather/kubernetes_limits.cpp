// What a pod grants a container: GPUs, memory, shared memory, mounts, time. Ports have a file of
// their own.
#include <algorithm>

#include "gather/kubernetes_container.h"
#include "gather/manifest_values.h"
#include "read/yaml_placed.h"

namespace sx {
namespace {

PlacedText text_of(const Sources& sources, const YamlNode* scalar) {
  if (scalar == nullptr || scalar->kind != YamlNode::Kind::Scalar) return {};
  return placed_text(sources, *scalar);
}

const YamlNode* find_path(const YamlNode& node, std::initializer_list<std::string_view> keys) {
  const YamlNode* at = &node;
  for (const auto key : keys) {
    if (at != nullptr) at = at->find(key);
  }
  return at;
}

// Slices of a card (nvidia.com/mig-…) are no GPUs to count here.
bool counts_gpus(std::string_view resource) {
  return resource == "nvidia.com/gpu" || resource == "amd.com/gpu" ||
         resource == "nvidia.com/pgpu" || resource == "gpu.intel.com/i915" ||
         resource == "gpu.intel.com/xe" || resource == "habana.ai/gaudi";
}

// Parts of cards, and cards under names of their own.
bool is_some_gpu(std::string_view resource) {
  for (const std::string_view vendor :
       {"nvidia.com/", "amd.com/", "gpu.intel.com/", "habana.ai/"}) {
    if (resource.starts_with(vendor)) return true;
  }
  return resource.contains("gpu");
}

constexpr Text kNotCounted{"the manifest asks for devices that are no whole GPUs",
                           "清单申请的设备不是整张 GPU"};

void take_resources(const Sources& sources, const YamlNode& container, Surroundings& around) {
  for (const std::string_view part : {"requests", "limits"}) {
    const YamlNode* resources = find_path(container, {"resources", part});
    if (resources == nullptr) continue;
    for (const YamlMember& member : resources->members) {
      if (is_some_gpu(member.key)) around.gpu_count = Fact<int>::unknown(kNotCounted);
      if (!counts_gpus(member.key)) continue;
      const Fact<int> count = count_fact(text_of(sources, &member.value));
      if (!count) continue;
      const Span& value = member.value.span;
      const Span& key = member.value.key_span;
      const bool together = key.source == value.source && key.begin < value.begin;
      around.gpu_count = Fact<int>(count.value(), Origin::Config,
                                   together ? Span{value.source, key.begin, value.end} : value);
    }
  }
  if (find_path(container, {"resources", "claims"}) != nullptr && !around.gpu_count)
    around.gpu_count = Fact<int>::unknown(kNotCounted);
  const YamlNode* limits = find_path(container, {"resources", "limits"});
  if (limits == nullptr) return;
  around.memory_limit = fact_of<Bytes>(text_of(sources, limits->find("memory")), kubernetes_size);
  around.cpu_limit = fact_of<double>(text_of(sources, limits->find("cpu")), kubernetes_cpus);
}

const YamlNode* volume_named(const YamlNode& pod, std::string_view name) {
  const YamlNode* volumes = pod.find("volumes");
  if (volumes == nullptr) return nullptr;
  for (const YamlNode& volume : volumes->items) {
    const YamlNode* its_name = volume.find("name");
    if (its_name != nullptr && its_name->text == name) return &volume;
  }
  return nullptr;
}

constexpr Text kNoSize{"what is mounted at /dev/shm has no size here",
                       "挂到 /dev/shm 的卷没有写明大小"};

// An emptyDir in memory is as large as its limit; without one, as the container's memory.
void take_shared_memory(const Sources& sources, const YamlNode* volume, Surroundings& around) {
  around.shared_memory = Fact<Bytes>::unknown(kNoSize);
  const YamlNode* empty = volume == nullptr ? nullptr : volume->find("emptyDir");
  const YamlNode* host = volume == nullptr ? nullptr : volume->find("hostPath");
  if (host != nullptr && text_of(sources, host->find("path")).text() == "/dev/shm") {
    around.host_ipc = Fact<bool>(true, Origin::Config, host->span);
  }
  if (empty == nullptr) return;
  const YamlNode* limit = empty->find("sizeLimit");
  if (limit != nullptr) {
    around.shared_memory = fact_of<Bytes>(text_of(sources, limit), kubernetes_size);
  } else if (around.memory_limit) {
    around.shared_memory = around.memory_limit;
  }
}

void take_mounts(const Sources& sources, const YamlNode& pod, const YamlNode& container,
                 Surroundings& around) {
  around.shared_memory = default_shared_memory();
  const YamlNode* mounts = container.find("volumeMounts");
  if (mounts == nullptr) return;
  for (const YamlNode& item : mounts->items) {
    const std::string name = text_of(sources, item.find("name")).text();
    const YamlNode* volume = volume_named(pod, name);
    Mount mount{.host = name,
                .inside = text_of(sources, item.find("mountPath")).text(),
                .read_only = truth_fact(text_of(sources, item.find("readOnly"))).value_or(false),
                .span = item.span};
    if (volume != nullptr) {
      const YamlNode* path = find_path(*volume, {"hostPath", "path"});
      if (path != nullptr) mount.host = text_of(sources, path).text();
    }
    if (mount.inside == "/dev/shm" || mount.inside == "/dev/shm/")
      take_shared_memory(sources, volume, around);
    if (!mount.inside.empty()) around.mounts.push_back(std::move(mount));
  }
}

}  // namespace

void take_kubernetes_limits(const Sources& sources, const YamlNode& pod, const YamlNode& container,
                            Surroundings& around) {
  take_resources(sources, container, around);
  take_mounts(sources, pod, container, around);
  if (pod.find("hostIPC") != nullptr)
    around.host_ipc = truth_fact(text_of(sources, pod.find("hostIPC")));
  around.host_network = truth_fact(text_of(sources, pod.find("hostNetwork")));
  around.privileged =
      truth_fact(text_of(sources, find_path(container, {"securityContext", "privileged"})));
  const YamlNode* user = find_path(container, {"securityContext", "runAsUser"});
  if (user == nullptr) user = find_path(pod, {"securityContext", "runAsUser"});
  around.user = text_fact(text_of(sources, user));
  around.working_folder = text_fact(text_of(sources, container.find("workingDir")));
  around.restart = text_fact(text_of(sources, pod.find("restartPolicy")));
  around.runtime = text_fact(text_of(sources, pod.find("runtimeClassName")));
  const PlacedText grace = text_of(sources, pod.find("terminationGracePeriodSeconds"));
  around.stop_timeout_s =
      fact_of<double>(grace, [](const std::string& value) { return systemd_duration_s(value); });
  if (grace.source() < 0) around.stop_timeout_s = default_number("kubernetes-stop-timeout");
}

}  // namespace sx
