// sglang serve, python -m sglang.launch_server, python …/sglang/launch_server.py
#include "engines/sglang/recognise.h"

#include <array>

namespace sx::sglang {
namespace {

constexpr std::array<std::string_view, 2> kServing{"sglang.cli.main", "sglang"};
// The second one is its name from before the tables begin; scripts still have it.
constexpr std::array<std::string_view, 2> kServer{"sglang.launch_server", "sglang.srt.server"};
constexpr std::array<std::string_view, 2> kScripts{"sglang/launch_server.py",
                                                   "sglang/srt/server.py"};

constexpr std::string_view kModelType = "--model-type";

bool serves_language(std::span<const Word> words, const argparse::Launch& launch) {
  for (std::size_t i = launch.arguments; i < words.size(); ++i) {
    std::string_view text = words[i].text;
    if (text == kModelType && i + 1 < words.size()) {
      text = words[i + 1].text;
    } else if (text.starts_with(kModelType) && text.substr(kModelType.size()).starts_with('=')) {
      text.remove_prefix(kModelType.size() + 1);
    } else {
      continue;
    }
    if (text == "diffusion") return false;
  }
  return true;
}

}  // namespace

std::optional<argparse::Launch> find_launch(std::span<const Word> words) {
  const auto launch = argparse::find_launch(words, {.program = "sglang",
                                                    .serving_modules = kServing,
                                                    .server_modules = kServer,
                                                    .server_scripts = kScripts});
  if (!launch || !serves_language(words, *launch)) return {};
  return launch;
}

std::optional<std::size_t> recognises(std::span<const Word> words) {
  const auto launch = find_launch(words);
  return launch ? std::optional(launch->program) : std::nullopt;
}

}  // namespace sx::sglang
