// What a machine is: GPUs, links, memory, limits; of this machine, of a saved or pasted one, or of
// one only named.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "facts/fact.h"
#include "knowledge/gpus.h"
#include "read/machine_state.h"

namespace sx {

struct Gpu {
  int index = 0;           // as nvidia-smi counts: PCI bus order
  Fact<std::string> name;  // the driver's name
  std::string uuid, pci;
  Fact<Bytes> memory;                   // total as nvidia-smi prints it
  Fact<Bytes> usable;                   // what the CUDA runtime sees
  Fact<Bytes> usable_low, usable_high;  // band of `usable` where it is assumed, else equal to it
  Fact<Bytes> used;                     // held by others now
  Fact<ComputeCapability> capability;
  Fact<int> multiprocessors;
  Fact<bool> bf16, fp8, mig, ecc, persistence;
  Fact<bool> nvlink;                        // by the kind of card, where links are unknown
  Fact<int> numa;                           // first node of the affinity
  std::string cpu_affinity, numa_affinity;  // as printed
  Fact<double> power_limit_w;
  std::string compute_mode;  // as printed: "Default", "E. Process", "Exclusive_Process"
  GpuState<Fact> state;      // its condition now
};

struct Links {
  std::vector<std::vector<std::string>> classes;  // "X", "NV12", "PIX" …; empty: unknown
  std::vector<std::vector<std::string>> p2p;      // "X", "OK", "GNS" …; empty: unknown
  Message why_unknown;
  bool known() const { return !classes.empty(); }
};

struct UsedPort {
  int port = 0;
  std::string address;  // "0.0.0.0", "127.0.0.1", "::"
};

enum class HostFrom { Named, File, Live };

struct HostSpec {
  HostFrom from = HostFrom::Named;
  std::string name;       // as asked: "6xA100-PCIE-40GB", a file's name, "this machine"
  Fact<int> gpu_count;    // unknown: no way to see GPUs; 0: looked and there is none
  std::vector<Gpu> gpus;  // in index order; empty when gpu_count is unknown
  Links links;
  Fact<std::string> driver, cuda;
  Fact<Bytes> shared_memory;  // size of /dev/shm
  Fact<Bytes> shared_memory_free;
  Fact<Bytes> memory, memory_free, memory_limit;  // host RAM; cgroup limit
  Fact<Bytes> locked_memory;                      // memlock limit; a huge value means unlimited
  Fact<int> open_files;
  Fact<int> cpu_count, numa_nodes;
  Fact<bool> container;
  Fact<std::vector<UsedPort>> used_ports;
  std::vector<std::string> nics;
  HostState<Fact> state;  // its condition now, and what is installed
  std::vector<std::pair<std::string, std::string>>
      environment;               // of a pasted report or of this process
  std::vector<Message> assumed;  // what was taken for granted: "A100: the 80 GB SXM card"
  std::vector<std::pair<std::string, Message>> unknown;  // "links": why

  // One kind of card on all of `gpus`.
  bool uniform() const;
};

// Writes `unknown` anew from the facts that are not known: one entry a fact, each with its reason.
// Entries "text" and "nvml" (what could not be read of a text, what the driver's library did not
// answer) stay.
void list_unknown(HostSpec& host);

}  // namespace sx
