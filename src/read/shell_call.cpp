// Options as POSIX and bash read them: in groups, each o or O of which takes a word of its own.
#include "read/shell_call.h"

#include <algorithm>

#include "read/command_front.h"

namespace sx {

ShellCall shell_call(std::span<const std::string_view> words) {
  ShellCall call;
  while (call.behind < words.size()) {
    const std::string_view option = words[call.behind];
    if (option.empty() || (option[0] != '-' && option[0] != '+')) break;
    ++call.behind;
    if (option == "-" || option == "--") break;
    if (option.starts_with("--")) {
      call.login = call.login || option == "--login";
      if (option == "--rcfile" || option == "--init-file") ++call.behind;
      continue;
    }
    const bool on = option[0] == '-';
    call.text = call.text || (on && option.contains('c'));
    call.login = call.login || (on && option.contains('l'));
    call.behind += static_cast<std::size_t>(
        std::ranges::count_if(option, [](char c) { return c == 'o' || c == 'O'; }));
  }
  call.behind = std::min(call.behind, words.size());
  return call;
}

std::optional<std::size_t> shell_text_at(std::span<const std::string_view> words) {
  if (words.empty() || !is_shell(words[0])) return {};
  const ShellCall call = shell_call(words);
  return call.text && call.behind < words.size() ? std::optional(call.behind) : std::nullopt;
}

std::optional<std::size_t> shell_text_at(std::span<const Word> words) {
  if (words.empty() || !is_shell(words[0].text)) return {};
  return shell_text_at(said_words(words));
}

std::vector<std::string_view> said_words(std::span<const Word> words) {
  std::vector<std::string_view> said;
  for (const Word& word : words) said.emplace_back(word.text);
  return said;
}

std::vector<std::string_view> said_words(std::span<const std::string> words) {
  return {words.begin(), words.end()};
}

}  // namespace sx
