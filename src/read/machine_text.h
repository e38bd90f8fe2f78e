// The texts people paste about a machine: nvidia-smi in all its forms, collect_env reports, kernel
// logs, lspci, lscpu, numactl and their kin, alone or one after another, whole or damaged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/source.h"
#include "read/amounts.h"
#include "read/machine_state.h"

namespace sx {

// One GPU as some text tells of it; what it does not tell is empty.
struct PastedGpu {
  int index = -1;
  std::string name;  // as printed, perhaps cut with "..."
  std::string uuid;
  std::string pci;              // "00000000:1A:00.0"
  std::optional<Bytes> memory;  // total as printed
  std::optional<Bytes> used;
  std::optional<Bytes> free;
  std::optional<bool> mig;
  std::optional<bool> ecc;
  std::optional<bool> persistence;
  std::string capability;  // "8.0"
  std::string compute_mode;
  std::optional<double> power_limit_w;
  std::optional<Span> span;  // its line
  GpuState<Told> state;
};

// Links between GPUs in the order of the rows, words as printed ("NV12", "PIX", "SYS", "OK",
// "GNS"); empty: none given.
struct PastedTopology {
  std::vector<std::string> names;                 // "GPU0" …
  std::vector<std::vector<std::string>> classes;  // topo -m
  std::vector<std::vector<std::string>> p2p;      // topo -p2p
  std::vector<std::string> cpu_affinity;          // as printed, "" when not printed
  std::vector<std::string> numa_affinity;         // as printed
  std::vector<std::string> nics;                  // "NIC0" …
};

struct MachineText {
  std::vector<PastedGpu> gpus;
  PastedTopology topology;
  std::string driver;                                            // "550.54.15"
  std::string cuda;                                              // "12.4", the driver's own
  std::vector<std::pair<std::string, std::string>> environment;  // of a collect_env report
  HostState<Told> state;
  Told<Bytes> memory, memory_free, shared_memory, shared_memory_free;
  Told<Bytes> locked_memory;  // the limit; kUnlimited: none
  Told<int> open_files, cpu_count, numa_nodes;
  std::vector<std::string> nics;  // RDMA devices that other texts than the matrix tell of
  std::vector<Both>
      unread;  // parts that looked like ours and could not be read, each with its line number
};

// Limits: 64 MiB, 64 GPUs, 128 columns, 4 KiB a line that matters. Nothing recognised: an error
// that says what is taken.
Result<MachineText> parse_machine_text(const Sources& sources, int source);

}  // namespace sx
