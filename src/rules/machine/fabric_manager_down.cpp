// SX5106. The long explanation and the scenes are in fabric_manager_down.md.
#include <algorithm>
#include <string>
#include <vector>

#include "check/gpu_condition.h"
#include "fit/links.h"

namespace sx::rules {
namespace {

constexpr Text kFabric{"the NVSwitch fabric of GPU {gpus} is not ready: {state}",
                       "GPU {gpus} 的 NVSwitch 互联尚未就绪：{state}"};
constexpr Text kService{"the fabric manager of this NVSwitch machine does not run: {state}",
                        "这台 NVSwitch 机器的 Fabric Manager 没有运行：{state}"};
constexpr Text kStateLabel{"GPU {gpu}: \"Completed\" when it is ready",
                           "GPU {gpu}：就绪时为“Completed”"};
constexpr Text kStateBasis{"GPU {gpu}: fabric state {state}", "GPU {gpu}：互联状态 {state}"};
constexpr Text kServiceLabel{"\"active (running)\" when it runs", "运行时为“active (running)”"};
constexpr Text kServiceBasis{"nvidia-fabricmanager: {state}", "nvidia-fabricmanager：{state}"};
constexpr Text kBecause{
    "cards behind NVSwitch cannot be used by any CUDA program before the fabric manager, of the "
    "driver's own version, has set the switches up",
    "NVSwitch 后面的 GPU，要等与驱动同版本的 Fabric Manager 配置好交换芯片之后，CUDA 程序才能使用"};
constexpr Text kOtherwise{
    "the engine exits at the start with \"Error 802: system not yet initialized\", although "
    "nvidia-smi lists all cards",
    "引擎一启动就退出，报“Error 802: system not yet initialized”，而 nvidia-smi 照样列出所有卡"};
constexpr Text kNoFix{
    "`systemctl start nvidia-fabricmanager`; when it does not stay up, its version differs from "
    "the "
    "driver's: install the one of the driver's version",
    "执行 `systemctl start "
    "nvidia-fabricmanager`；如果起不来，多半是版本与驱动不同：安装与驱动同版本的"};

constexpr Need kNeeds[] = {Need::HostFabric};

// The fabric as a card tells it; "N/A" and "Not Supported" are of machines without one.
bool waits(const Gpu& gpu) {
  const std::string state = gpu.state.fabric_state.value_or("");
  return state == "In Progress" || state == "Not Started";
}

bool runs(const std::string& service) { return service.starts_with("active"); }

// On PCIe machines the manager ends by itself, which is as it should be; eight cards that reach
// each other over as many links each are behind switches.
bool behind_switches(const HostSpec& host) {
  const auto& rows = host.links.classes;
  if (rows.size() < 8) return false;
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < rows[a].size(); ++b) {
      if (a != b && (!is_nvlink(rows[a][b]) || rows[a][b] != rows[0][1])) return false;
    }
  }
  return true;
}

std::vector<Complaint> check(const Case& c) {
  const HostSpec& host = c.host();
  std::vector<const Gpu*> waiting;
  for (const Gpu* card : cards_in_question(c)) {
    if (waits(*card)) waiting.push_back(card);
  }
  const auto& service = host.state.fabric_manager;
  const bool down = service.known() && !runs(service.value());
  if (waiting.empty() && !(down && behind_switches(host))) return {};

  Complaint complaint;
  // Both signs together leave no doubt.
  complaint.severity = !waiting.empty() && down ? Severity::Error : Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  if (waiting.empty()) {
    d.title = {kService, {{"state", service.value()}}};
  } else {
    const Gpu& first = *waiting.front();
    const Argument state("state", first.state.fabric_state.value()), gpu("gpu", first.index);
    d.title = {kFabric, {{"gpus", numbers_of(waiting)}, state}};
    show(d, first.state.fabric_state, {kStateLabel, {gpu}}, {kStateBasis, {gpu, state}});
  }
  if (down) show(d, service, kServiceLabel, {kServiceBasis, {{"state", service.value()}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "fabric manager";
  d.no_fix = kNoFix;
  return {complaint};
}

}  // namespace

extern const Rule fabric_manager_down{
    .code = "SX5106",
    .name = "fabric-manager-down",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
