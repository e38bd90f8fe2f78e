// The processes of a plan as commands to paste: complete, each on its own GPUs and port.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/search.h"

namespace sx {

// The launch of one replica of a draft, on its GPUs and with its port.
std::optional<Case> launch_of(const Draft& draft, int replica);

// `env NAME=VALUE … numactl … vllm serve …`
std::string pasted(const Case& launch);

}  // namespace sx
