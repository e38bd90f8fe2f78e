// Which words are a vLLM launch.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "engines/argparse/launch.h"

namespace sx::vllm {

std::optional<argparse::Launch> find_launch(std::span<const Word> words);

// Engine::recognises.
std::optional<std::size_t> recognises(std::span<const Word> words);

}  // namespace sx::vllm
