// llama-server, the llama program's own subcommand, and the name the server had before that.
#include "engines/llamacpp/recognise.h"

#include <algorithm>
#include <array>

namespace sx::llamacpp {
namespace {

std::string_view file_name(std::string_view path) {
  const auto slash = path.rfind('/');
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (name.ends_with(".exe")) name.remove_suffix(4);
  return name;
}

// The server was built as `server` into the folder of the sources until mid 2024.
bool is_old_server(std::string_view path) {
  return file_name(path) == "server" && path.find("llama.cpp/") != std::string_view::npos;
}

// Flags that print something and end the program.
bool ends_at_once(std::span<const Word> words, std::size_t from) {
  static constexpr std::array<std::string_view, 8> kEnding{
      "-h",  "--help",       "--usage",        "--version",
      "-cl", "--cache-list", "--list-devices", "--completion-bash"};
  return std::ranges::any_of(words.subspan(std::min(from, words.size())), [](const Word& word) {
    return std::ranges::find(kEnding, std::string_view(word.text)) != kEnding.end();
  });
}

}  // namespace

std::optional<Launch> find_launch(std::span<const Word> words) {
  if (words.empty()) return {};
  const std::string_view program = words.front().text;
  Launch launch{.program = 0, .arguments = 1};
  if (file_name(program) == "llama" && words.size() > 1 &&
      (words[1].text == "serve" || words[1].text == "server")) {
    launch.arguments = 2;
  } else if (file_name(program) != "llama-server" && !is_old_server(program)) {
    return {};
  }
  return ends_at_once(words, launch.arguments) ? std::nullopt : std::optional(launch);
}

std::optional<std::size_t> recognises(std::span<const Word> words) {
  const auto launch = find_launch(words);
  return launch ? std::optional(launch->program) : std::nullopt;
}

bool serves_nothing(std::string_view program) {
  const std::string_view name = file_name(program);
  return name.starts_with("llama-") && name != "llama-server";
}

}  // namespace sx::llamacpp
