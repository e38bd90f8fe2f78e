// What the child that talks to the driver tells its parent: one line a thing, a word and what
// belongs to it.
#pragma once

#include <string>
#include <string_view>

#include "sys/nvml.h"

namespace sx {

inline constexpr int kNvmlMissing =
    13;  // NVML's own code for a function that this library does not have
inline constexpr std::size_t kMostNvmlGpus = 64;
inline constexpr std::size_t kMostNvmlAnswer = std::size_t{1}
                                               << 20;  // 64 GPUs with all pairs need some 150 KiB

// What a return code means, in words: "the GPU is lost from the bus".
Both nvml_words(int code);

// Everything the child said. Lines that make no sense are passed over: the child may have been
// killed in the middle.
struct NvmlTold {
  NvmlAnswer answer;
  bool counted = false;  // the number of GPUs came
  bool done = false;     // the last line came
  bool absent = false;   // no library
  int refused = 0;       // code of an initialisation that failed; 0: none
  std::string absent_why;
  Both asking;  // what was being asked last: "memory of GPU 2"
};
NvmlTold read_nvml_lines(std::string_view text);

}  // namespace sx
