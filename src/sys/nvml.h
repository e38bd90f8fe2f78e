// The driver's own library, opened at run time in a child process with a deadline: absent, broken
// or hung is a value.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace sx {

struct NvmlProcess {
  std::int64_t pid = 0;  // of the host's numbering
  std::optional<Bytes> memory;
};

// The condition of a card now; what the library does not give is empty.
struct NvmlCondition {
  std::optional<std::int64_t> ecc_uncorrected, ecc_corrected;  // since the driver was loaded
  std::optional<std::int64_t> ecc_uncorrected_total, ecc_corrected_total;
  std::optional<int> remapped_rows;
  std::optional<bool> remap_pending, remap_failed, retirement_pending, display;
  std::optional<int> pcie_generation, pcie_generation_max, pcie_width, pcie_width_max;
  std::optional<int> performance_state, degrees, busy;  // busy: percent
  std::optional<int> slowdowns;                         // bits, as NVML counts them
  std::optional<int> nvlinks, nvlinks_up;
  std::optional<double> power_default_w;
  bool processes_told = false;
  std::vector<NvmlProcess> processes;
};

struct NvmlGpu {
  std::string name, uuid, pci;
  std::optional<Bytes> memory, used, free;
  std::optional<int> capability_major, capability_minor;
  std::optional<bool> mig, ecc, persistence;
  std::optional<int> compute_mode;
  std::optional<double> power_limit_w;
  std::string cpu_affinity;  // "0-31,64-95", empty when not given
  std::optional<int> numa;
  NvmlCondition condition;
};

struct NvmlAnswer {
  std::string driver, cuda;  // "550.54.15", "12.4"
  std::vector<NvmlGpu> gpus;
  std::vector<std::vector<std::string>> classes;  // as `topo -m` prints; empty: not given
  std::vector<std::vector<std::string>> p2p;
  std::vector<Both> unknown;  // what could not be asked, and why
};

// Kind::Absent: no library. Kind::TimedOut: nothing was told before the deadline, the child was
// killed. Kind::Refused: NVML said no (driver/library mismatch, no permission), words in `what`.
// Kind::Damaged: it crashed at once. A hang or a crash after the GPUs were counted is an answer
// with what was told until then; `unknown` says what was being asked.
Result<NvmlAnswer> ask_nvml(const std::string& library, std::chrono::milliseconds deadline);

// "libnvidia-ml.so.1", found as the loader finds it.
inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

}  // namespace sx
