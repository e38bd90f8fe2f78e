// The engines that a rule may be limited to: `.engines = kOfVllm`.
#pragma once

#include <array>
#include <string_view>

namespace sx {

inline constexpr std::array<std::string_view, 1> kOfVllm{"vllm"};
inline constexpr std::array<std::string_view, 1> kOfSglang{"sglang"};
inline constexpr std::array<std::string_view, 1> kOfLlama{"llamacpp"};
inline constexpr std::array<std::string_view, 2> kOfVllmAndLlama{"vllm", "llamacpp"};
// They run torch over checkpoints of the hub, one process a GPU; llama.cpp does neither.
inline constexpr std::array<std::string_view, 2> kOfTorchEngines{"vllm", "sglang"};

}  // namespace sx
