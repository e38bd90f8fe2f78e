// Which K GPUs of a machine belong together: strongest weakest pair, then the sum, then NUMA nodes,
// then lowest indices.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/host_spec.h"
#include "knowledge/link_classes.h"

namespace sx {

// NV# = 1000 + 10 a link, PIX 50, PXB 40, PHB 30, NODE 20, SYS 10 (data/links.tsv). Empty: not a
// class.
std::optional<int> link_strength(std::string_view link_class);

struct GpuSet {
  std::vector<int> gpus;  // ascending
  std::string weakest;    // class of the weakest pair; "X" for one GPU
  long long sum = 0;
  int numa_nodes = 0;
  std::int64_t ties = 0;  // how many sets equal it before indices decide, itself included
};

// The best K of `among` (all GPUs when empty). Empty when links are unknown, K is out of range.
// GPUs that nothing tells apart are counted together, so 64 equal ones cost nothing. Exact for
// every machine of 16 GPUs; a larger one whose GPUs all differ may reach the limit of 3 million
// steps: then it is the best set found, and `ties` counts the equal ones met.
std::optional<GpuSet> best_gpus(const HostSpec& host, int k, const std::vector<int>& among = {});

// The same judgement of a given set.
std::optional<GpuSet> judge_gpus(const HostSpec& host, const std::vector<int>& gpus);

}  // namespace sx
