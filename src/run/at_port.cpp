// Where in the words of a command its port stands.
#include "run/at_port.h"

#include <string>
#include <string_view>

namespace sx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether the number that stands from `at` to `end` of a word is a port.
bool is_port(std::string_view word, std::size_t at, std::size_t end, std::string_view before) {
  if ((at > 0 && is_digit(word[at - 1])) || (end < word.size() && is_digit(word[end])))
    return false;  // a part of a longer number
  if (at == 0 && end == word.size()) return before.ends_with("port");
  const std::string_view front = word.substr(0, at);
  return front.ends_with("port=") || front.ends_with(':') || word.substr(end).starts_with(':');
}

}  // namespace

std::optional<EngineLaunch> at_port(const EngineLaunch& launch, int port) {
  const std::string from = std::to_string(launch.port);
  const std::string to = std::to_string(port);
  EngineLaunch made = launch;
  made.port = port;
  bool found = false;
  for (std::size_t i = 0; i < made.words.size(); ++i) {
    const std::string& word = launch.words[i];
    const std::string_view before = i > 0 ? std::string_view(launch.words[i - 1]) : "";
    std::string changed;
    std::size_t begin = 0;
    for (std::size_t at = word.find(from); at != std::string::npos; at = word.find(from, begin)) {
      const std::size_t end = at + from.size();
      const bool here = is_port(word, at, end, before);
      changed.append(word, begin, at - begin).append(here ? to : from);
      found = found || here;
      begin = end;
    }
    made.words[i] = changed.append(word, begin);
  }
  return found ? std::optional(std::move(made)) : std::nullopt;
}

}  // namespace sx
