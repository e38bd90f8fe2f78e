// GGUF files of a scene, of which only the header is real.
#pragma once

#include <string>

#include "sys/files.h"

namespace sx::casebook {

// Lines: `shape: qwen2 28x3584 28/4 32768` (architecture, layers x width, heads / KV heads,
// context) makes the common keys and two tensors; `KEY = value` adds a number, a list of them
// ([1,2]) or a text; `tensor NAME TYPE 64x320` adds a tensor; `split: 1/3` the keys of a part, from
// 1, and `cut: 100` takes bytes off the end.
void add_gguf(MemoryFiles& files, const std::string& path, const std::string& text);

}  // namespace sx::casebook
