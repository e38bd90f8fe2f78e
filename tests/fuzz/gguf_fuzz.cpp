// Any bytes as the front of a GGUF file: a header that is taken adds up, and a longer file changes
// nothing but whether more is asked for.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "gather/model_gguf.h"
#include "read/gguf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view front(reinterpret_cast<const char*>(data), size);
  const sx::Bytes length{static_cast<std::int64_t>(size)};
  const auto header = sx::parse_gguf_header(front, length);
  const auto of_longer = sx::parse_gguf_header(front, length + sx::gib(1));
  if (!header) {
    SX_ASSERT(header.error().kind != sx::GgufFault::Kind::NeedMore);
    SX_ASSERT(!header.error().words.english.empty() && !header.error().words.chinese.empty());
    return 0;
  }
  SX_ASSERT(of_longer.has_value() && of_longer->tensors.size() == header->tensors.size());
  if (header->data_end && !header->tensors.empty()) {
    sx::Bytes sum;
    for (const sx::TensorInfo& tensor : header->tensors) sum += tensor.bytes;
    SX_ASSERT(header->data_begin + sum <= *header->data_end);
  }
  sx::ModelSpec model;
  sx::read_gguf_keys(model, *header);
  SX_ASSERT(model.layers.value_or(1) > 0);
  return 0;
}
