// Which words are a vLLM launch, and where its arguments begin.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "read/command.h"

namespace sx::vllm {

enum class Entry {
  Serve,   // vllm serve [MODEL] …: the model may stand as a word of its own
  Module,  // python -m vllm.entrypoints.openai.api_server --model MODEL …
};

struct Launch {
  Entry entry = Entry::Serve;
  std::size_t program = 0;    // index of "vllm" or "python"
  std::size_t arguments = 0;  // index of the first word behind "serve" or the module
};

// Nothing for other subcommands, other modules, and calls for help.
std::optional<Launch> find_launch(std::span<const Word> words);

// Engine::recognises.
std::optional<std::size_t> recognises(std::span<const Word> words);

}  // namespace sx::vllm
