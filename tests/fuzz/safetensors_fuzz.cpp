// Any bytes as the front of a safetensors file: a header that is taken adds up.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "read/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view front(reinterpret_cast<const char*>(data), size);
  sx::looks_like(front);
  sx::lfs_pointer_size(front);
  const auto header = sx::parse_safetensors_header(front);
  if (!header) return 0;
  sx::Bytes sum;
  for (const sx::TensorInfo& tensor : header->tensors) sum += tensor.bytes;
  SX_ASSERT(header->data_begin + sum == header->file_bytes);
  return 0;
}
