// One card that tells is enough: a rule speaks of that one.
#include "facts/need_condition.h"

#include <algorithm>

namespace sx {
namespace {

bool one_gpu(const HostSpec& host, bool (*tells)(const Gpu&)) {
  return std::ranges::any_of(host.gpus, tells);
}

bool errors_told(const Gpu& gpu) {
  const auto& state = gpu.state;
  return state.ecc_uncorrected.known() || state.remap_pending.known() ||
         state.remap_failed.known() || state.retirement_pending.known();
}

bool gpu_condition_met(Need need, const HostSpec& h) {
  switch (need) {
    case Need::HostErrors:
      return one_gpu(h, errors_told);
    case Need::HostSlowdowns:
      return one_gpu(h, [](const Gpu& gpu) { return gpu.state.slowdowns.known(); });
    case Need::HostPower:
      return one_gpu(h, [](const Gpu& gpu) {
        return gpu.power_limit_w.known() && gpu.state.power_default_w.known();
      });
    case Need::HostMig:
      return one_gpu(h, [](const Gpu& gpu) { return gpu.mig.known(); });
    case Need::HostComputeMode:
      return one_gpu(h, [](const Gpu& gpu) { return !gpu.compute_mode.empty(); });
    case Need::HostPersistence:
      return one_gpu(h, [](const Gpu& gpu) { return gpu.persistence.known(); });
    case Need::HostDisplay:
      return one_gpu(h, [](const Gpu& gpu) { return gpu.state.display.known(); });
    case Need::HostPcie:
      return one_gpu(h, [](const Gpu& gpu) { return gpu.state.pcie_width.known(); });
    default:
      return false;
  }
}

}  // namespace

bool condition_met(Need need, const Case& c) {
  const HostSpec& h = c.host();
  const auto fabric_told = [](const Gpu& gpu) { return gpu.state.fabric_state.known(); };
  switch (need) {
    case Need::HostDriver:
      return h.driver.known();
    case Need::HostKernelLog:
      return h.state.kernel_events.known();
    case Need::HostFabric:
      return h.state.fabric_manager.known() || one_gpu(h, fabric_told);
    case Need::HostBus:
      return h.state.pci_gpus.known();
    case Need::HostPeers:
      return !h.links.p2p.empty();
    case Need::HostNumaMemory:
      return h.state.numa.known();
    case Need::HostLockedMemory:
      return h.locked_memory.known() || c.around.locked_memory.known();
    case Need::HostOpenFiles:
      return h.open_files.known() || c.around.open_files.known();
    case Need::HostInterfaces:
      return h.state.interfaces.known();
    default:
      return gpu_condition_met(need, h);
  }
}

}  // namespace sx
