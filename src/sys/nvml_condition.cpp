// Cheap calls only: none of these wakes a card or takes long.
#include "sys/nvml_condition.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/strings.h"
#include "sys/nvml.h"
#include "sys/nvml_call.h"

namespace sx {
namespace {

using Tell = std::function<void(std::string_view, const std::string&)>;

constexpr unsigned kMostProcesses = 64;  // of one card; more are left out

// Of versions 2 and 3 of the call; the first version ends before the instances.
struct ProcessInfo {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
struct OldProcessInfo {
  unsigned pid;
  unsigned long long memory;
};
struct Utilisation {
  unsigned gpu, memory;
};

void tell_errors(void* library, void* device, const Tell& tell) {
  struct Counter {
    std::string_view key;
    int type, counter;  // 1: uncorrected; 1: over the card's life
  };
  constexpr std::array<Counter, 4> kCounters{{{"ecc-uncorrected", 1, 0},
                                              {"ecc-corrected", 0, 0},
                                              {"ecc-uncorrected-total", 1, 1},
                                              {"ecc-corrected-total", 0, 1}}};
  for (const Counter& one : kCounters) {
    unsigned long long count = 0;
    if (nvml_call(library, {"nvmlDeviceGetTotalEccErrors"}, device, one.type, one.counter,
                  &count) == 0)
      tell(one.key, std::to_string(count));
  }
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  if (nvml_call(library, {"nvmlDeviceGetRemappedRows"}, device, &corrected, &uncorrected, &pending,
                &failed) == 0) {
    tell("remapped-rows", std::to_string(std::uint64_t{corrected} + uncorrected));
    tell("remap-pending", pending == 0 ? "0" : "1");
    tell("remap-failed", failed == 0 ? "0" : "1");
  }
  if (nvml_call(library, {"nvmlDeviceGetRetiredPagesPendingStatus"}, device, &pending) == 0)
    tell("retirement-pending", pending == 0 ? "0" : "1");
}

void tell_numbers(void* library, void* device, const Tell& tell) {
  const auto number = [&](std::string_view key, const char* name) {
    unsigned value = 0;
    if (nvml_call(library, {name}, device, &value) == 0) tell(key, std::to_string(value));
  };
  number("pcie-generation", "nvmlDeviceGetCurrPcieLinkGeneration");
  number("pcie-generation-max", "nvmlDeviceGetMaxPcieLinkGeneration");
  number("pcie-width", "nvmlDeviceGetCurrPcieLinkWidth");
  number("pcie-width-max", "nvmlDeviceGetMaxPcieLinkWidth");
  number("default-milliwatts", "nvmlDeviceGetPowerManagementDefaultLimit");
  number("performance-state", "nvmlDeviceGetPerformanceState");
  number("display", "nvmlDeviceGetDisplayActive");
  unsigned degrees = 0;
  const int sensor = 0;  // of the chip
  if (nvml_call(library, {"nvmlDeviceGetTemperature"}, device, sensor, &degrees) == 0)
    tell("degrees", std::to_string(degrees));
  Utilisation use{};
  if (nvml_call(library, {"nvmlDeviceGetUtilizationRates"}, device, &use) == 0)
    tell("busy", std::to_string(use.gpu));
  unsigned long long reasons = 0;
  if (nvml_call(
          library,
          {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"},
          device, &reasons) == 0)
    tell("slowdowns", std::to_string(reasons & 0xffffU));
}

template <class Info>
bool tell_processes_of(void* library, void* device, std::initializer_list<const char*> names,
                       const Tell& tell) {
  std::array<Info, kMostProcesses> all{};
  unsigned count = kMostProcesses;
  if (nvml_call(library, names, device, &count, all.data()) != 0) return false;
  tell("processes", "");
  constexpr unsigned long long kUnknown = ~0ULL;
  for (unsigned i = 0; i < std::min(count, kMostProcesses); ++i) {
    const auto& one = all[i];
    tell("process", std::to_string(one.pid) +
                        (one.memory == kUnknown ? "" : " " + std::to_string(one.memory)));
  }
  return true;
}

std::optional<std::int64_t> whole(std::string_view text) {
  const auto number = to_integer(text);
  if (!number || *number < 0) return {};
  return *number;
}

std::optional<int> small(std::string_view text) {
  const auto number = whole(text);
  if (!number || *number > 1'000'000'000) return {};
  return static_cast<int>(*number);
}

std::optional<bool> truth(std::string_view text) {
  if (text != "0" && text != "1") return {};
  return text == "1";
}

void read_process(NvmlCondition& condition, std::string_view value) {
  const auto blank = value.find(' ');
  const auto pid = whole(value.substr(0, blank));
  if (!pid || condition.processes.size() >= kMostProcesses) return;
  NvmlProcess process{.pid = *pid, .memory = {}};
  if (blank != value.npos) {
    if (const auto bytes = whole(value.substr(blank + 1))) process.memory = Bytes{*bytes};
  }
  condition.processes.push_back(process);
}

}  // namespace

void tell_nvml_condition(void* library, void* device, const Tell& tell) {
  tell_errors(library, device, tell);
  tell_numbers(library, device, tell);
  const bool told = tell_processes_of<ProcessInfo>(
      library, device,
      {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"}, tell);
  if (!told)
    tell_processes_of<OldProcessInfo>(library, device, {"nvmlDeviceGetComputeRunningProcesses"},
                                      tell);
}

void read_nvml_condition(NvmlCondition& c, std::string_view key, std::string_view value) {
  if (key == "ecc-uncorrected") c.ecc_uncorrected = whole(value);
  if (key == "ecc-corrected") c.ecc_corrected = whole(value);
  if (key == "ecc-uncorrected-total") c.ecc_uncorrected_total = whole(value);
  if (key == "ecc-corrected-total") c.ecc_corrected_total = whole(value);
  if (key == "remapped-rows") c.remapped_rows = small(value);
  if (key == "remap-pending") c.remap_pending = truth(value);
  if (key == "remap-failed") c.remap_failed = truth(value);
  if (key == "retirement-pending") c.retirement_pending = truth(value);
  if (key == "pcie-generation") c.pcie_generation = small(value);
  if (key == "pcie-generation-max") c.pcie_generation_max = small(value);
  if (key == "pcie-width") c.pcie_width = small(value);
  if (key == "pcie-width-max") c.pcie_width_max = small(value);
  if (key == "performance-state") c.performance_state = small(value);
  if (key == "display") c.display = truth(value);
  if (key == "degrees") c.degrees = small(value);
  if (key == "busy") c.busy = small(value);
  if (key == "slowdowns") c.slowdowns = small(value);
  if (key == "nvlinks") c.nvlinks = small(value);
  if (key == "nvlinks-up") c.nvlinks_up = small(value);
  if (key == "processes") c.processes_told = true;
  if (key == "process") read_process(c, value);
  if (key == "default-milliwatts") {
    if (const auto milliwatts = small(value)) c.power_default_w = *milliwatts / 1000.0;
  }
}

}  // namespace sx
