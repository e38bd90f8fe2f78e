// The files that are part of the program: the tables of data/ and the rule pages, as bytes.
// The definition is made at build time by cmake/embed.cmake.
#pragma once

#include <span>
#include <string_view>

namespace sx {

struct Embedded {
  std::string_view name;   // "data/gpus.tsv", "rules/layout/tp_heads_indivisible.md"
  std::string_view bytes;  // lives as long as the program
};

// In order of their names.
std::span<const Embedded> embedded_files();

}  // namespace sx
