// Numbers of the driver's library in the words of its own tool.
#include "gather/live_condition.h"

#include <array>

#include "base/strings.h"

namespace sx {
namespace {

constexpr Bytes kSmallFile = kib(64);

constexpr Text kNoAnswer{"the driver does not tell it", "驱动没有提供这一项"};
constexpr Text kNoFile{"the system does not tell it", "系统没有提供这一项"};

template <class T>
Fact<T> told(const std::optional<T>& value, Text why = kNoAnswer) {
  if (!value) return Fact<T>::unknown(why);
  return {*value, Origin::Device};
}

// Bits of the clocks' event reasons, by the names of `nvidia-smi -q`.
std::vector<std::string> reasons_of(int bits) {
  struct Reason {
    int bit;
    std::string_view name;
  };
  constexpr std::array<Reason, 5> kReasons{{{0x4, "SW Power Cap"},
                                            {0x8, "HW Slowdown"},
                                            {0x20, "SW Thermal Slowdown"},
                                            {0x40, "HW Thermal Slowdown"},
                                            {0x80, "HW Power Brake Slowdown"}}};
  std::vector<std::string> names;
  for (const Reason& reason : kReasons) {
    if ((bits & reason.bit) != 0) names.emplace_back(reason.name);
  }
  return names;
}

// Inside a container the driver's numbers are of another numbering and name nobody here.
std::string name_of(std::int64_t pid, const Files* files) {
  if (files == nullptr) return {};
  const auto name = files->read("/proc/" + std::to_string(pid) + "/comm", kSmallFile);
  return name ? std::string(trimmed(*name)).substr(0, 64) : std::string();
}

}  // namespace

GpuState<Fact> condition_of(const NvmlCondition& c, const Files* files) {
  GpuState<Fact> state;
  each_gpu_state(state, state, []<class T>(std::string_view, Fact<T>& fact, Fact<T>&) {
    fact = Fact<T>::unknown(kNoAnswer);
  });
  state.ecc_uncorrected = told(c.ecc_uncorrected);
  state.ecc_corrected = told(c.ecc_corrected);
  state.ecc_uncorrected_total = told(c.ecc_uncorrected_total);
  state.ecc_corrected_total = told(c.ecc_corrected_total);
  state.remapped_rows = told(c.remapped_rows);
  state.remap_pending = told(c.remap_pending);
  state.remap_failed = told(c.remap_failed);
  state.retirement_pending = told(c.retirement_pending);
  state.pcie_generation = told(c.pcie_generation);
  state.pcie_generation_max = told(c.pcie_generation_max);
  state.pcie_width = told(c.pcie_width);
  state.pcie_width_max = told(c.pcie_width_max);
  state.power_default_w = told(c.power_default_w);
  state.temperature_c = told(c.degrees);
  state.utilisation = told(c.busy);
  state.performance_state = told(c.performance_state);
  state.display = told(c.display);
  state.nvlinks = told(c.nvlinks);
  state.nvlinks_up = told(c.nvlinks_up);
  if (c.slowdowns) state.slowdowns = {reasons_of(*c.slowdowns), Origin::Device};
  if (!c.processes_told) return state;
  std::vector<GpuProcess> processes;
  for (const NvmlProcess& one : c.processes)
    processes.push_back({.pid = one.pid, .name = name_of(one.pid, files), .memory = one.memory});
  state.processes = {std::move(processes), Origin::Device};
  return state;
}

HostState<Fact> condition_of_system(const Files& files) {
  HostState<Fact> state;
  each_host_state(state, state, []<class T>(std::string_view, Fact<T>& fact, Fact<T>&) {
    fact = Fact<T>::unknown(kNoFile);
  });
  if (const auto names = files.list("/sys/class/net"); names && !names->empty())
    state.interfaces = {*names, Origin::Device};
  if (const auto options = files.read("/proc/cmdline", kSmallFile))
    state.kernel_command_line = {std::string(trimmed(*options)), Origin::Device};
  return state;
}

}  // namespace sx
