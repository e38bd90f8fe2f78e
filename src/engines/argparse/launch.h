// Which words are a launch of an engine that Python runs, and where its arguments begin.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "read/command.h"

namespace sx::argparse {

enum class Entry {
  Serve,   // vllm serve [MODEL] …: the model may stand as a word of its own
  Module,  // python -m vllm.entrypoints.openai.api_server --model MODEL …
};

struct Launch {
  Entry entry = Entry::Serve;
  std::size_t program = 0;    // index of "vllm" or "python"
  std::size_t arguments = 0;  // index of the first word behind "serve" or the module
};

// The forms in which an engine is launched.
struct LaunchForms {
  std::string_view program;                           // "vllm": vllm serve …
  std::span<const std::string_view> serving_modules;  // python -m MODULE serve …
  std::span<const std::string_view> server_modules;   // python -m MODULE …
  std::span<const std::string_view> server_scripts;   // python SCRIPT …, by how its path ends
};

// Nothing for other subcommands, other modules, and calls for help. A tool that runs programs in
// its own environment ("uv run") may stand in front.
std::optional<Launch> find_launch(std::span<const Word> words, const LaunchForms& forms);

}  // namespace sx::argparse
