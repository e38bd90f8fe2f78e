// A command with places for what is known only when a replica is made: "{port}", "{gpus}".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sx {

// A name in braces, as "{port}" in "--port={port}". Braces of JSON, of shells ("${port}") and of
// chat templates ("{{ role }}") are none.
struct Placeholder {
  std::string_view name;  // "port"; may be none of those that we fill
  std::size_t begin = 0;  // of the brace in the word
};
std::vector<Placeholder> placeholders_in(std::string_view word);

struct TemplateValues {
  std::string model;  // model.id
  std::string host = "127.0.0.1";
  int port = 0;
  std::vector<int> gpus;
  int replica = 0;  // from 0 on
};
// "model", "host", "port", "gpus", "replica".
const std::vector<std::string_view>& template_names();
// Whether any word of the command has this one.
bool asks_for(const std::vector<std::string>& command, std::string_view name);

// A text for a shell, also that of `bash -c` and one inside another, gets values that its shell
// reads as one word each.
std::vector<std::string> filled(const std::vector<std::string>& command,
                                const TemplateValues& values);

}  // namespace sx
