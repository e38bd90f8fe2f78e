// How a machine file names things; shared by its writer and its reader.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "facts/fact.h"
#include "facts/host_spec.h"

namespace sx {

inline constexpr std::string_view kHostSchema = "sextant.host/1";

constexpr std::array<Origin, 9> kOrigins{Origin::Flag,    Origin::Environment, Origin::Config,
                                         Origin::Header,  Origin::Device,      Origin::Measured,
                                         Origin::Default, Origin::Formula,     Origin::Assumed};

inline std::optional<Origin> origin_named(std::string_view name) {
  for (const Origin origin : kOrigins) {
    if (word(origin) == name) return origin;
  }
  return {};
}

inline std::string_view word(HostFrom from) {
  switch (from) {
    case HostFrom::Named:
      return "name";
    case HostFrom::File:
      return "file";
    case HostFrom::Live:
      return "live";
  }
  return "file";
}

constexpr std::array<std::pair<KernelEvent::Kind, std::string_view>, 7> kKernelEvents{{
    {KernelEvent::Kind::Xid, "xid"},
    {KernelEvent::Kind::Sxid, "sxid"},
    {KernelEvent::Kind::FellOffBus, "fell-off-bus"},
    {KernelEvent::Kind::ApiMismatch, "api-mismatch"},
    {KernelEvent::Kind::PcieError, "pcie-error"},
    {KernelEvent::Kind::IommuFault, "iommu-fault"},
    {KernelEvent::Kind::OutOfMemory, "out-of-memory"},
}};

inline std::string_view word(KernelEvent::Kind kind) {
  for (const auto& [one, name] : kKernelEvents) {
    if (one == kind) return name;
  }
  return "";
}

// Variables that may be written to a file: what steers engines and collectives, and never a secret.
bool may_be_saved(std::string_view variable);

// The one list of plain facts: member, name in the file. `visit` gets both for each.
template <class Gpu, class Visit>
void each_gpu_fact(Gpu& gpu, Visit visit) {
  visit("name", gpu.name);
  visit("memory_bytes", gpu.memory);
  visit("usable_bytes", gpu.usable);
  visit("usable_low_bytes", gpu.usable_low);
  visit("usable_high_bytes", gpu.usable_high);
  visit("used_bytes", gpu.used);
  visit("cc", gpu.capability);
  visit("multiprocessors", gpu.multiprocessors);
  visit("bf16", gpu.bf16);
  visit("fp8", gpu.fp8);
  visit("nvlink", gpu.nvlink);
  visit("mig", gpu.mig);
  visit("ecc", gpu.ecc);
  visit("persistence", gpu.persistence);
  visit("power_limit_w", gpu.power_limit_w);
  visit("numa", gpu.numa);
}

template <class Host, class Visit>
void each_host_fact(Host& host, Visit visit) {
  visit("", "driver", host.driver);
  visit("", "cuda", host.cuda);
  visit("memory", "total_bytes", host.memory);
  visit("memory", "available_bytes", host.memory_free);
  visit("memory", "limit_bytes", host.memory_limit);
  visit("shm", "total_bytes", host.shared_memory);
  visit("shm", "free_bytes", host.shared_memory_free);
  visit("limits", "locked_memory_bytes", host.locked_memory);
  visit("limits", "open_files", host.open_files);
  visit("", "cpus", host.cpu_count);
  visit("numa", "nodes", host.numa_nodes);
  visit("", "container", host.container);
}

}  // namespace sx
