// GPUs as data-sheets and drivers describe them (data/gpus.tsv), and what people call them
// (data/gpu_aliases.tsv).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace sx {

struct ComputeCapability {
  int major = 0;
  int minor = 0;
  auto operator<=>(const ComputeCapability&) const = default;
  std::string text() const { return std::to_string(major) + '.' + std::to_string(minor); }  // "8.0"
};

struct GpuKind {
  std::string_view name;  // as the driver prints it: "NVIDIA A100-PCIE-40GB"
  std::string_view architecture;
  std::optional<ComputeCapability> capability;
  std::optional<Bytes> memory;      // what nvidia-smi prints as total
  std::vector<Bytes> memory_other;  // totals printed by old drivers, with ECC turned, by modified
                                    // boards of the name
  std::optional<Bytes>
      held_back;  // total less what the CUDA runtime sees; measured per kind, else unknown
  std::optional<int> multiprocessors;
  std::optional<double> memory_gb_per_second;
  std::optional<bool> bf16;
  std::optional<bool> fp8;                     // tensor units for FP8
  std::optional<double> nvlink_gb_per_second;  // sum of both directions a GPU; 0: has none
  std::string_view pcie;                       // "4x16"
  std::optional<double> fp16_tflops;           // dense, 32-bit accumulation
  std::optional<double> fp8_tflops;
  std::optional<double> fp4_tflops;
  std::optional<double> int8_tops;
  std::optional<double> power_watts;  // limit of the board as sold
  std::string_view notes;
  std::string_view source;
  std::string_view checked;
};

std::span<const GpuKind> gpu_kinds();

// What a person meant by "A100-40G", "nvidia a100 40gb", "RTX 3090 24GB". Case, blanks, '-', '_'
// and a leading NVIDIA, Tesla or GeForce do not count.
struct GpuMatch {
  const GpuKind* kind = nullptr;  // null: unknown
  std::string_view
      assumed;  // not empty when the name was ambiguous and a documented default was taken
  std::string_view assumed_chinese;        // the same words
  std::vector<std::string> closest_names;  // for an unknown name
};
GpuMatch match_gpu(std::string_view said);

// A name printed by the driver: exact, or cut with "..." by nvidia-smi (then only when one kind
// fits together with the memory it printed).
const GpuKind* gpu_by_driver_name(std::string_view printed, std::optional<Bytes> memory);

}  // namespace sx
