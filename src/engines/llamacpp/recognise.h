// Which words are a launch of llama.cpp's server, and where its arguments begin.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "read/command.h"

namespace sx::llamacpp {

struct Launch {
  std::size_t program = 0;    // index of "llama-server" or "llama"
  std::size_t arguments = 0;  // index of the first word behind it and its subcommand
};

// Nothing for the other programs of llama.cpp, and for calls that print something and end.
std::optional<Launch> find_launch(std::span<const Word> words);

// Engine::recognises and Engine::serves_nothing.
std::optional<std::size_t> recognises(std::span<const Word> words);
bool serves_nothing(std::string_view program);

}  // namespace sx::llamacpp
