// ENGINE serve, python -m MODULE, python SCRIPT, and all of them behind a tool that runs programs
// in its own environment.
#include "engines/argparse/launch.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engines/python_command.h"
#include "read/command_front.h"

namespace sx::argparse {
namespace {

// Words between `uv run` and the program that belong to uv: a launch further behind is none.
constexpr std::size_t kRunnerWords = 32;

constexpr std::array<std::string_view, 8> kRunners{"uv",         "poetry", "conda", "mamba",
                                                   "micromamba", "pixi",   "pdm",   "hatch"};

bool asks_for_help(std::span<const Word> words, std::size_t from) {
  for (std::size_t i = from; i < words.size() && words[i].text != "--"; ++i) {
    const std::string_view text = words[i].text;
    if (text == "-h" || text == "--help" || text.starts_with("--help=")) return true;
  }
  return false;
}

std::optional<Launch> serve_at(std::span<const Word> words, std::size_t program,
                               std::size_t subcommand) {
  if (subcommand >= words.size() || words[subcommand].text != "serve") return {};
  return Launch{Entry::Serve, program, subcommand + 1};
}

bool among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::optional<Launch> python_at(std::span<const Word> words, std::size_t program,
                                const LaunchForms& forms) {
  std::size_t at = behind_python_options(words, program + 1);
  if (at == words.size()) return {};
  if (words[at].text != "-m") {
    const std::string_view script = words[at].text;
    const auto ends = [&](std::string_view name) { return script.ends_with(name); };
    if (std::ranges::any_of(forms.server_scripts, ends))
      return Launch{Entry::Module, program, at + 1};
    if (program_name(script) == forms.program) return serve_at(words, program, at + 1);
    return {};
  }
  if (++at == words.size()) return {};
  const std::string_view module = words[at].text;
  if (among(forms.server_modules, module)) return Launch{Entry::Module, program, at + 1};
  if (among(forms.serving_modules, module)) return serve_at(words, program, at + 1);
  return {};
}

std::optional<Launch> launch_at(std::span<const Word> words, std::size_t program,
                                const LaunchForms& forms) {
  const std::string_view text = words[program].text;
  if (program_name(text) == forms.program) return serve_at(words, program, program + 1);
  if (is_python(text)) return python_at(words, program, forms);
  return {};
}

// How many words may stand in front of the program: none, unless a tool runs it.
std::size_t last_start(std::span<const Word> words) {
  const std::string_view first = program_name(words.front().text);
  if (first == "uvx") return kRunnerWords;
  const bool runs = words.size() > 1 && words[1].text == "run";
  return runs && std::ranges::find(kRunners, first) != kRunners.end() ? kRunnerWords : 0;
}

}  // namespace

std::optional<Launch> find_launch(std::span<const Word> words, const LaunchForms& forms) {
  if (words.empty()) return {};
  const std::size_t last = std::min(last_start(words), words.size() - 1);
  for (std::size_t program = 0; program <= last; ++program) {
    const auto launch = launch_at(words, program, forms);
    if (launch) return asks_for_help(words, launch->arguments) ? std::nullopt : launch;
  }
  return {};
}

}  // namespace sx::argparse
