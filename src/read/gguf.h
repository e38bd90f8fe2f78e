// The headers of GGUF files: metadata keys, names, types and shapes of tensors. No tensor data is
// read.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/both.h"
#include "base/bytes.h"
#include "read/safetensors.h"

namespace sx {

struct GgufValue {
  enum class Type { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };
  Type type = Type::U32;
  std::int64_t integer = 0;         // of integers and Bool; what does not fit is its largest value
  double number = 0;                // of numbers of any kind
  std::string text;                 // of String: at most its first 4 KiB
  std::uint64_t length = 0;         // of String: bytes; of Array: items
  Type element = Type::U32;         // of Array
  std::vector<std::int64_t> items;  // of Array of integers or Bool: at most the first 4096
};

struct GgufKey {
  std::string name;
  GgufValue value;
};

struct GgufHeader {
  int version = 0;
  std::vector<GgufKey> keys;        // in the order of the file
  std::vector<TensorInfo> tensors;  // dtype: ggml's name of the type ("q4_K"); shape: fastest first
  Bytes data_begin;                 // offset of tensor data in the file
  // Where the last tensor ends; the file may be longer. Empty: a tensor has a type that is newer
  // than this reader ("type 43"), so its length is not known and is zero in `tensors`.
  std::optional<Bytes> data_end;

  const GgufValue* find(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;  // an integer of any width
  std::optional<double> number(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;
};

struct GgufFault {
  enum class Kind {
    NeedMore,    // `front` ends before the header does: read `needed` bytes at least
    EndsInside,  // the file itself ends before the header does
    NotGguf,
    Obsolete,  // a format from before GGUF, GGUF 1, or an unknown version
    Swapped,   // written for machines of the other byte order
    Damaged,
  };
  Kind kind = Kind::Damaged;
  Both words;  // a clause about the file: "it has two tensors named output.weight"
  Bytes needed;
};

// `front` is the beginning of a file of that length. What llama.cpp's own reader refuses is
// refused: lengths beyond the file, keys and tensors named twice, more than 4 dimensions, rows that
// are no whole number of blocks, types that were taken away, gaps between tensors, an alignment
// that is no power of two. Limits: strings and arrays of 2^30, 1 million keys, 1 million tensors.
std::expected<GgufHeader, GgufFault> parse_gguf_header(std::string_view front, Bytes file_bytes);

// A type of ggml by its name: "q4_K" has blocks of 256 elements in 144 bytes.
struct GgmlType {
  int id;
  std::string_view name;
  int block;  // elements
  int bytes;  // of a block
};
const GgmlType* find_ggml_type(std::string_view name);

}  // namespace sx
