// Any words as an SGLang launch.
#include "engines/sglang/sglang.h"
#include "launch_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sx::fuzzing::read_launch(sx::sglang::engine, {"sglang", "serve"}, data, size);
  return 0;
}
