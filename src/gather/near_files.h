// What lies where a file was looked for and may be meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sys/files.h"

namespace sx {

// Names beside `path` that are nearly its own, nearest first, each written as `name` was: with its
// folder in front. The first part of a split file stands for all of them.
std::vector<std::string> near_files(const Files& files, std::string_view path,
                                    std::string_view name);

}  // namespace sx
