// Which K GPUs of a machine belong together: strongest weakest pair, then the sum, then NUMA nodes, then lowest indices.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/host_spec.h"

namespace sx {

// NV# = 1000 + 10 a link, PIX 50, PXB 40, PHB 30, NODE 20, SYS 10 (data/links.tsv). Empty: not a class.
std::optional<int> link_strength(std::string_view link_class);

struct GpuSet {
  std::vector<int> gpus;     // ascending
  std::string weakest;       // class of the weakest pair; "X" for one GPU
  long long sum = 0;
  int numa_nodes = 0;
  std::int64_t ties = 0;     // how many sets equal it before indices decide, itself included
};

// The best K of `among` (all GPUs when empty). Empty when links are unknown, K is out of range. Exact up to 16 GPUs
// (12 870 sets); above that, branch and bound with the same result.
std::optional<GpuSet> best_gpus(const HostSpec& host, int k, const std::vector<int>& among = {});

// The same judgement of a given set.
std::optional<GpuSet> judge_gpus(const HostSpec& host, const std::vector<int>& gpus);

}  // namespace sx
