// Whether the memory of a replica's GPUs has come back after its engine ended: a driver takes its
// time, and a process that nobody knows may hold what the next start needs.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/both.h"
#include "base/bytes.h"

namespace sx {

struct GpuHolder {
  std::int64_t pid = 0;
  std::string name;  // empty: not known
  bool operator==(const GpuHolder&) const = default;
};

struct GpuUse {
  int gpu = 0;
  std::optional<Bytes> used;  // empty: the driver does not say
  std::vector<GpuHolder> holders;
  std::string name{};             // of the card; empty: the driver does not say
  std::optional<Bytes> memory{};  // all that it has
  bool operator==(const GpuUse&) const = default;
};

// Of what `host --format json` prints; empty when it is no such thing. No GPU: an empty list.
std::optional<std::vector<GpuUse>> read_gpu_use(std::string_view host);
// The machine asked by our own program; empty: it does not answer.
std::optional<std::vector<GpuUse>> ask_gpu_use(const std::string& program);

struct StillHeld {
  std::vector<GpuUse> gpus;  // those that hold more than before
  bool unknown = false;      // of a GPU it is not known
};
// `before`: when none of ours ran.
StillHeld still_held(const std::vector<GpuUse>& before, const std::vector<GpuUse>& now,
                     const std::vector<int>& gpus);

struct GpuReleaseAsk {
  std::string program;
  std::vector<int> gpus;       // that nobody else of ours uses; empty: nothing to wait for
  std::vector<GpuUse> before;  // empty: not known
  std::chrono::milliseconds limit{30'000};   // a driver needs a few seconds for a large process
  const std::atomic<bool>* hurry = nullptr;  // no longer worth waiting for
};
struct GpuReleaseTold {
  Both held;     // who holds it still, for a person; empty: nobody
  Both unknown;  // why it cannot be told; empty: it can
};
// Waits until it is free, or for as long as it is worth.
GpuReleaseTold wait_for_gpus(const GpuReleaseAsk& ask);

}  // namespace sx
