// Which words are an SGLang launch.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "engines/argparse/launch.h"

namespace sx::sglang {

// Nothing for a launch of pictures or video (`--model-type diffusion`): other flags, other memory.
std::optional<argparse::Launch> find_launch(std::span<const Word> words);

// Engine::recognises.
std::optional<std::size_t> recognises(std::span<const Word> words);

}  // namespace sx::sglang
