// SX5113. The long explanation and the scenes are in container_sees_fewer_gpus.md.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "facts/container_changes.h"
#include "rules/command/docker_words.h"

namespace sx::rules {
namespace {

constexpr Text kNothing{"nothing hands GPUs to the container", "没有任何选项把 GPU 交给容器"};
constexpr Text kNone{"the container is given no GPU", "没有给容器分配 GPU"};
constexpr Text kTooMany{"{wanted} GPUs are asked for, the machine has {count}",
                        "要求 {wanted} 张 GPU，而机器只有 {count} 张"};
constexpr Text kAbsent{"GPU {device} is asked for, the machine has {count}: 0 to {last}",
                       "要求 GPU {device}，而机器只有 {count} 张：0 到 {last}"};
constexpr Text kImage{"needs a GPU", "需要 GPU"};
constexpr Text kBecause{"a container sees the GPUs that are handed to it and no others",
                        "容器只能看到交给它的 GPU"};
constexpr Text kMayBeDefault{
    "unless the runtime is set up to hand in all GPUs by itself, the engine finds none: \"Failed "
    "to "
    "infer device type\" or a run on the CPU",
    "除非运行时配置为默认交出全部 GPU，否则引擎找不到 GPU：“Failed to infer device "
    "type”，或改用 CPU 运行"};
constexpr Text kFindsNone{
    "the engine finds no GPU within seconds: \"Failed to infer device type\" or \"No CUDA GPUs are "
    "available\"",
    "几秒内发现没有 GPU：“Failed to infer device type”或“No CUDA GPUs are available”"};
constexpr Text kUnknownDevice{
    "the container is created and does not start: \"nvidia-container-cli: device error: … unknown "
    "device\"",
    "容器建立后无法启动：“nvidia-container-cli: device error: … unknown device”"};
constexpr Text kAll{"hand in all GPUs", "交出全部 GPU"};
constexpr Text kInManifest{
    "the command cannot change it: in Kubernetes set a limit for nvidia.com/gpu, in compose "
    "reserve devices under deploy.resources",
    "改命令没有用：Kubernetes 里设置 nvidia.com/gpu 的 limit，compose 里在 deploy.resources "
    "下预留设备"};

// Builds for other devices, which are handed in as device nodes.
constexpr std::array<std::string_view, 12> kOtherDevices{"cpu",  "xpu",    "tpu",    "hpu",
                                                         "npu",  "neuron", "ascend", "gaudi",
                                                         "rocm", "musa",   "intel",  "vulkan"};

bool for_nvidia(const Case& c) {
  if (!c.around.image.known()) return false;
  const std::string image = lower(c.around.image.value());
  const bool other = std::ranges::any_of(
      kOtherDevices, [&image](std::string_view word) { return image.contains(word); });
  if (other) return false;
  const FlagUse* device = c.serve.use_of("--device");
  if (device != nullptr && !device->values.empty() && device->values.front() != "cuda")
    return false;
  // llama.cpp has builds without CUDA under the same name.
  return c.serve.engine != "llamacpp" || image.contains("cuda");
}

// Any word about devices: what it hands in may be enough.
bool something_said(const Case& c) {
  const Surroundings& around = c.around;
  if (around.all_gpus.known() || around.gpu_count.known() || around.gpu_devices.known())
    return true;
  if (!around.gpu_count.why_unknown().empty()) return true;
  if (around.privileged.known() && around.privileged.value()) return true;
  if (around.runtime.known() && around.runtime.value() != "runc") return true;
  const auto line = run_line(c.command);
  const auto behind = docker_words_inside(c);  // on the wrong side of the image: said there
  if (std::ranges::find(behind, "--gpus", &DockerWords::name) != behind.end()) return true;
  return line && (option_of(*line, "--device") != nullptr || option_of(*line, "--gpus") != nullptr);
}

Complaint complaint_of(const Case& c, Message title, Message otherwise) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = std::move(title);
  d.because = kBecause;
  d.otherwise = std::move(otherwise);
  d.subject = "--gpus";
  d.no_fix = run_line(c.command) ? Message{} : Message{kInManifest};
  return complaint;
}

void propose_all(const Case& c, Complaint& complaint) {
  auto changes = set_container_option(c.command, "--gpus", "all");
  if (!changes.empty())
    complaint.proposals.push_back({.title = kAll, .changes = std::move(changes)});
}

// Devices and counts that the machine does not have.
std::vector<Complaint> more_than_there(const Case& c) {
  const Fact<int>& there = c.machine().gpu_count;
  if (!there.known() || there.value() < 1 || c.around.kind == Surroundings::Kind::Kubernetes)
    return {};
  const Argument count("count", there.value());
  if (c.around.gpu_count.known() && c.around.gpu_count.value() > there.value()) {
    auto complaint = complaint_of(c, {kTooMany, {{"wanted", c.around.gpu_count.value()}, count}},
                                  kUnknownDevice);
    mark(complaint.diagnostic, c.around.gpu_count, {});
    propose_all(c, complaint);
    return {complaint};
  }
  if (!c.around.gpu_devices.known()) return {};
  for (const std::string& device : c.around.gpu_devices.value()) {
    const auto index = to_integer(device);
    if (!index || (*index >= 0 && *index < there.value())) continue;
    auto complaint = complaint_of(
        c, {kAbsent, {{"device", device}, count, {"last", there.value() - 1}}}, kUnknownDevice);
    mark(complaint.diagnostic, c.around.gpu_devices, {});
    propose_all(c, complaint);
    return {complaint};
  }
  return {};
}

std::vector<Complaint> check(const Case& c) {
  if (!c.around.contained() || c.around.joined) return {};
  if (auto found = more_than_there(c); !found.empty()) return found;
  if (!for_nvidia(c)) return {};
  const bool none = c.around.gpu_count.known() && c.around.gpu_count.value() == 0;
  if (!none && something_said(c)) return {};
  auto complaint = complaint_of(c, none ? Message{kNone} : Message{kNothing},
                                none ? Message{kFindsNone} : Message{kMayBeDefault});
  if (!none) complaint.severity = Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  if (none) mark(d, c.around.gpu_count, {});
  if (d.labels.empty()) mark(d, c.around.image, {kImage});
  propose_all(c, complaint);
  return {complaint};
}

}  // namespace

extern const Rule container_sees_fewer_gpus{
    .code = "SX5113",
    .name = "container-sees-fewer-gpus",
    .severity = Severity::Error,
    .check = check,
};

}  // namespace sx::rules
