// What texts, drivers and files tell of the condition of a machine and of its cards: one list of
// things, held as told or as facts by whoever has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/source.h"

namespace sx {

// A value as a text tells it, with its line; empty: not told.
template <class T>
struct Told {
  std::optional<T> value;
  std::optional<Span> span;
  explicit operator bool() const { return value.has_value(); }
};

struct GpuProcess {
  std::int64_t pid = 0;  // of the host's numbering; a container may not know it
  std::string name;      // as printed, perhaps cut in front; empty: hidden
  std::optional<Bytes> memory;
  bool operator==(const GpuProcess&) const = default;
};

struct NumaNode {
  int node = 0;
  std::string cpus;  // "0-31,64-95"; empty: a node of memory alone
  std::optional<Bytes> memory, memory_free;
  std::vector<int> distances;  // to each node in order; empty: not told
  bool operator==(const NumaNode&) const = default;
};

struct KernelEvent {
  enum class Kind {
    Xid,          // of a GPU, `code` is its number
    Sxid,         // of an NVSwitch, `code` is its number
    FellOffBus,   // said in words, without a number
    ApiMismatch,  // library and kernel module of unlike versions
    PcieError,    // AER, "PCIe Bus Error"
    IommuFault,   // a transfer that the IOMMU stopped
    OutOfMemory,  // a process killed for lack of memory
  };
  Kind kind = Kind::Xid;
  int code = 0;
  std::string pci;           // as printed: "0000:2a:00"; empty: not told
  std::string process;       // name of the process concerned; empty: not told
  std::string text;          // the message without what the logger put in front, at most 200 bytes
  int times = 1;             // like ones: same kind, code and device
  bool severe = false;       // said to be uncorrectable, fatal, or of a whole control group
  std::optional<Span> span;  // of the first
  bool operator==(const KernelEvent& other) const {
    return kind == other.kind && code == other.code && pci == other.pci &&
           process == other.process && text == other.text && times == other.times &&
           severe == other.severe;
  }
};

using Package = std::pair<std::string, std::string>;  // name, version

template <template <class> class Holder>
struct GpuState {
  // Memory errors: since the driver was loaded, and over the card's life.
  Holder<std::int64_t> ecc_uncorrected, ecc_corrected;
  Holder<std::int64_t> ecc_uncorrected_total, ecc_corrected_total;
  Holder<int> retired_pages;
  Holder<bool> retirement_pending;
  Holder<int> remapped_rows;  // after correctable and uncorrectable errors
  Holder<bool> remap_pending, remap_failed;
  // What slows the card now: "SW Power Cap", "HW Slowdown", "HW Thermal Slowdown",
  // "HW Power Brake Slowdown", "SW Thermal Slowdown" …
  Holder<std::vector<std::string>> slowdowns;
  Holder<int> clock_mhz, clock_max_mhz, clock_application_mhz;  // of the multiprocessors
  Holder<double> power_draw_w, power_default_w, power_max_w;
  Holder<int> temperature_c, utilisation, performance_state;
  Holder<int> pcie_generation, pcie_generation_max;  // now; what card and slot can do together
  Holder<int> pcie_width, pcie_width_max;
  Holder<std::string> fabric_state, fabric_status;  // "Completed", "In Progress"; "Success"
  Holder<int> nvlinks, nvlinks_up;
  Holder<bool> display;                            // a screen is driven
  Holder<bool> lost;                               // the driver lists the card and cannot reach it
  Holder<std::vector<std::string>> mig_instances;  // "1g.10gb"
  Holder<std::vector<GpuProcess>> processes;
};

template <template <class> class Holder>
struct HostState {
  Holder<std::string> driver_library, driver_module;  // versions, where they were told apart
  Holder<std::string> driver_failure;                 // what nvidia-smi said instead of an answer
  Holder<std::string> fabric_manager;  // as systemctl says: "active (running)", "inactive (dead)"
  Holder<int> pci_gpus;                // NVIDIA GPUs on the bus, seen by a driver or not
  Holder<std::string> cpu_model, hypervisor, kernel_command_line;
  Holder<int> sockets;
  // PCIe ports that send transfers up to the root; known and empty: ports were shown, none does.
  Holder<std::vector<std::string>> acs_redirects;
  Holder<std::vector<KernelEvent>> kernel_events;  // known and empty: a log without any
  Holder<std::vector<NumaNode>> numa;
  Holder<std::vector<std::string>> interfaces;  // of the network: "eth0", "bond0"
  Holder<std::string> python, torch, torch_cuda, nccl, vllm, sglang;
  Holder<std::vector<Package>> packages;
};

// The one list of them: `visit` gets the name in files and the member of both.
template <class A, class B, class Visit>
void each_gpu_state(A& a, B& b, Visit visit) {
  visit("ecc_uncorrected", a.ecc_uncorrected, b.ecc_uncorrected);
  visit("ecc_corrected", a.ecc_corrected, b.ecc_corrected);
  visit("ecc_uncorrected_total", a.ecc_uncorrected_total, b.ecc_uncorrected_total);
  visit("ecc_corrected_total", a.ecc_corrected_total, b.ecc_corrected_total);
  visit("retired_pages", a.retired_pages, b.retired_pages);
  visit("retirement_pending", a.retirement_pending, b.retirement_pending);
  visit("remapped_rows", a.remapped_rows, b.remapped_rows);
  visit("remap_pending", a.remap_pending, b.remap_pending);
  visit("remap_failed", a.remap_failed, b.remap_failed);
  visit("slowdowns", a.slowdowns, b.slowdowns);
  visit("clock_mhz", a.clock_mhz, b.clock_mhz);
  visit("clock_max_mhz", a.clock_max_mhz, b.clock_max_mhz);
  visit("clock_application_mhz", a.clock_application_mhz, b.clock_application_mhz);
  visit("power_draw_w", a.power_draw_w, b.power_draw_w);
  visit("power_default_w", a.power_default_w, b.power_default_w);
  visit("power_max_w", a.power_max_w, b.power_max_w);
  visit("temperature_c", a.temperature_c, b.temperature_c);
  visit("utilisation", a.utilisation, b.utilisation);
  visit("performance_state", a.performance_state, b.performance_state);
  visit("pcie_generation", a.pcie_generation, b.pcie_generation);
  visit("pcie_generation_max", a.pcie_generation_max, b.pcie_generation_max);
  visit("pcie_width", a.pcie_width, b.pcie_width);
  visit("pcie_width_max", a.pcie_width_max, b.pcie_width_max);
  visit("fabric_state", a.fabric_state, b.fabric_state);
  visit("fabric_status", a.fabric_status, b.fabric_status);
  visit("nvlinks", a.nvlinks, b.nvlinks);
  visit("nvlinks_up", a.nvlinks_up, b.nvlinks_up);
  visit("display", a.display, b.display);
  visit("lost", a.lost, b.lost);
  visit("mig_instances", a.mig_instances, b.mig_instances);
  visit("processes", a.processes, b.processes);
}

template <class A, class B, class Visit>
void each_host_state(A& a, B& b, Visit visit) {
  visit("driver_library", a.driver_library, b.driver_library);
  visit("driver_module", a.driver_module, b.driver_module);
  visit("driver_failure", a.driver_failure, b.driver_failure);
  visit("fabric_manager", a.fabric_manager, b.fabric_manager);
  visit("pci_gpus", a.pci_gpus, b.pci_gpus);
  visit("cpu_model", a.cpu_model, b.cpu_model);
  visit("hypervisor", a.hypervisor, b.hypervisor);
  visit("kernel_command_line", a.kernel_command_line, b.kernel_command_line);
  visit("sockets", a.sockets, b.sockets);
  visit("acs_redirects", a.acs_redirects, b.acs_redirects);
  visit("kernel_events", a.kernel_events, b.kernel_events);
  visit("numa", a.numa, b.numa);
  visit("interfaces", a.interfaces, b.interfaces);
  visit("python", a.python, b.python);
  visit("torch", a.torch, b.torch);
  visit("torch_cuda", a.torch_cuda, b.torch_cuda);
  visit("nccl", a.nccl, b.nccl);
  visit("vllm", a.vllm, b.vllm);
  visit("sglang", a.sglang, b.sglang);
  visit("packages", a.packages, b.packages);
}

}  // namespace sx
