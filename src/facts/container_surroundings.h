// What the options of a container say about what the launch inside sees.
#pragma once

#include <span>
#include <vector>

#include "facts/container_line.h"
#include "facts/surroundings.h"

namespace sx {

Surroundings surroundings_of(const ContainerLine& line, std::span<const Word> words);

// What -e and --env set, in order; `outer` is what the line itself sees, from which -e NAME takes
// its value. Setting::front is the index of the word.
std::vector<Setting> environment_of(const ContainerLine& line, std::span<const Word> words,
                                    std::span<const Setting> outer);

}  // namespace sx
