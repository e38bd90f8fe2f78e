// Options of docker that stand behind the image, where they are the engine's words.
#pragma once

#include <string_view>
#include <vector>

#include "check/rule.h"

namespace sx::rules {

struct DockerWords {
  std::string_view name;  // "--gpus"; of a group of letters its first
  std::size_t first_word = 0;
  std::size_t word_count = 1;  // with its value
};

// Only words that the engine itself does not understand.
std::vector<DockerWords> docker_words_inside(const Case& c);

// Another rule says what is wrong with this word.
bool belongs_to_docker(const Case& c, std::size_t word);

}  // namespace sx::rules
