// Lists of GPU numbers as masks hold them.
#pragma once

#include <string>
#include <vector>

#include "check/rule.h"

namespace sx::rules {

inline constexpr std::string_view kMask = "CUDA_VISIBLE_DEVICES";

// `some` and then the lowest other GPUs of the machine until there are `count`; fewer when the
// machine has no more.
std::vector<int> filled_up(std::vector<int> some, std::size_t count, const HostSpec& host);

// How many GPUs the launch wants, or else how many the mask names.
std::size_t gpus_needed(const Case& c);

// The mask with other GPUs in it.
Change set_mask(const std::vector<int>& gpus);

// Whether the engine serves from host memory where it sees no GPU; most end.
bool starts_without_gpu(const ServeSpec& serve);
inline constexpr Text kStartsOnHost{
    "it starts without a GPU: a warning in the log, and answers many times slower",
    "它会在没有 GPU 的情况下启动：日志里有一条警告，回答慢很多倍"};

}  // namespace sx::rules
