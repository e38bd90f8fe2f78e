// The processes of a plan as commands to paste: complete, each on its own GPUs and port.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/search.h"

namespace sx {

// The launch of the first replica of a draft, on its GPUs and with its port.
std::optional<Case> first_launch(const Draft& draft);

// `env NAME=VALUE … numactl … vllm serve …`, one a replica.
std::vector<std::string> pasted(const Draft& draft, const Case& first);

}  // namespace sx
