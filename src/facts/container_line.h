// `docker run …`, `podman run …`, `docker exec …`, `kubectl exec …` taken apart: options, image,
// and where the words that run inside begin.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/docker_options.h"
#include "read/command.h"

namespace sx {

struct ContainerOption {
  const DockerOption* known = nullptr;  // null: the program has no such option
  std::string name;                     // the long name; of an unknown one as typed
  std::string value;                    // of a switch: empty, or what it was set to ("false")
  bool has_value = false;
  bool complete = true;  // false: the value holds something that cannot be known here
  bool literal = true;
  Span span;                   // option and value
  std::size_t first_word = 0;  // in the words of the line
  std::size_t word_count = 1;
  std::size_t value_at = 0;  // byte of the last of these words where the value begins
};

struct ContainerLine {
  enum class Verb { Run, Exec, Kubectl };
  Verb verb = Verb::Run;
  std::string program;  // "docker"
  std::vector<ContainerOption> options;
  std::size_t program_word = 0;
  std::size_t image = 0;   // index of the image, of the container for Exec
  std::size_t inside = 0;  // index of the first word behind it
};

// Nothing when the words start no container, or name no image. Only the first few words are looked
// at for the program: assignments and wrappers may stand in front of it.
std::optional<ContainerLine> container_line(std::span<const Word> words);

// The last option of that name; null when there is none.
const ContainerOption* option_of(const ContainerLine& line, std::string_view name);

}  // namespace sx
