// Any words as a vLLM launch.
#include "engines/vllm/vllm.h"
#include "launch_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sx::fuzzing::read_launch(sx::vllm::engine, {"vllm", "serve"}, data, size);
  return 0;
}
