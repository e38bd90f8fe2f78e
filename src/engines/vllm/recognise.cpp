// vllm serve, python -m vllm.entrypoints.…
#include "engines/vllm/recognise.h"

#include <array>

namespace sx::vllm {
namespace {

constexpr std::array<std::string_view, 2> kServing{"vllm.entrypoints.cli.main", "vllm"};
constexpr std::array<std::string_view, 1> kServer{"vllm.entrypoints.openai.api_server"};
constexpr std::array<std::string_view, 1> kScripts{"vllm/entrypoints/openai/api_server.py"};

}  // namespace

std::optional<argparse::Launch> find_launch(std::span<const Word> words) {
  return argparse::find_launch(words, {.program = "vllm",
                                       .serving_modules = kServing,
                                       .server_modules = kServer,
                                       .server_scripts = kScripts});
}

std::optional<std::size_t> recognises(std::span<const Word> words) {
  const auto launch = find_launch(words);
  return launch ? std::optional(launch->program) : std::nullopt;
}

}  // namespace sx::vllm
