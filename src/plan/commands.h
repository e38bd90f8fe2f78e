// The processes of a plan as commands to paste: complete, each on its own GPUs and port.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/search.h"

namespace sx {

// The launch of one replica of a draft, on its GPUs and with its port.
std::optional<Case> launch_of(const Draft& draft, int replica);

// `env NAME=VALUE … numactl … vllm serve …`, one a replica.
std::vector<std::string> pasted(const Draft& draft, const Case& first);

// The port of the n-th server from `first` on, those that are in use left out; 0: there is none
// left.
int free_port(const HostSpec& host, int first, int nth);

}  // namespace sx
