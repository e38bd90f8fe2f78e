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

struct NvmlGpu {
  std::string name, uuid, pci;
  std::optional<Bytes> memory, used, free;
  std::optional<int> capability_major, capability_minor;
  std::optional<bool> mig, ecc, persistence;
  std::optional<int> compute_mode;
  std::optional<double> power_limit_w;
  std::string cpu_affinity;  // "0-31,64-95", empty when not given
  std::optional<int> numa;
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
