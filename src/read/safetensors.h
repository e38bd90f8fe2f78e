// The headers of safetensors files: names, types and shapes of tensors. No tensor data is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace sx {

struct TensorInfo {
  std::string name;
  std::string dtype;                // "BF16", "F8_E4M3", "I32" …
  std::vector<std::int64_t> shape;  // empty: a scalar
  Bytes bytes;                      // by the header's data offsets
};

struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;
  Bytes data_begin;  // offset of tensor data in the file: 8 + header length
  Bytes file_bytes;  // what the file must be long at least
};

// `front` is the beginning of the file, `file_bytes` its real length. Limits: header 100 MiB (as the format's own reader),
// 1 million tensors, offsets inside the file. Truncated: Error::Kind::Damaged names both lengths. When `front` is shorter
// than the header the error is TooLarge and `needed` says how much to read.
Result<SafetensorsHeader> parse_safetensors_header(std::string_view front, Bytes file_bytes);
// Length of header plus 8 from the first 8 bytes; an error when that cannot be a header.
Result<Bytes> safetensors_header_bytes(std::string_view first_eight);

// What lies there instead of weights: a git-lfs pointer, a web page, an empty file; empty: looks like safetensors.
enum class NotWeights { No, LfsPointer, WebPage, Empty, Text };
NotWeights looks_like(std::string_view front);

}  // namespace sx
