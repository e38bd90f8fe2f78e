// The headers of safetensors files: names, types and shapes of tensors. No tensor data is read.
#pragma once

#include <cstdint>
#include <optional>
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
  Bytes file_bytes;  // how long the file must be, to the byte
};

// `front` is the beginning of the file. Limits: header 64 MiB, 1 million tensors, 1 PiB of data.
// Checked: each length is that of type and shape (types that we do not know are taken as they are),
// tensors follow each other without overlap or hole. When `front` is shorter than the header the
// error is TooLarge: safetensors_header_bytes says how much to read.
Result<SafetensorsHeader> parse_safetensors_header(std::string_view front);

// The same for a file of a known length: Damaged, naming both lengths, when it is shorter or longer
// than its header tells.
Result<SafetensorsHeader> parse_safetensors_header(std::string_view front, Bytes file_bytes);

// Length of header plus 8 from the first 8 bytes; an error when that cannot be a header (more than
// 100 MiB, as the format's own reader has it).
Result<Bytes> safetensors_header_bytes(std::string_view first_eight);

// Bits of one element; empty for a type that we do not know.
std::optional<int> safetensors_bits(std::string_view dtype);

// What lies there instead of weights: a git-lfs pointer, a web page, an empty file; No: looks like
// safetensors.
enum class NotWeights { No, LfsPointer, WebPage, Empty, Text };
NotWeights looks_like(std::string_view front);

// The length of the real file that a git-lfs pointer stands for; empty when it does not say.
std::optional<Bytes> lfs_pointer_size(std::string_view pointer);

}  // namespace sx
