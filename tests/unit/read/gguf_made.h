// GGUF files made in memory for tests: keys and tensors as given, offsets and padding as the format
// wants them unless a test says otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read/gguf.h"

namespace sx {

class GgufMaker {
 public:
  std::uint32_t version = 3;
  std::string magic = "GGUF";
  std::uint64_t alignment = 32;
  std::uint64_t count_keys_as = 0;     // 0: as many as there are
  std::uint64_t count_tensors_as = 0;  // 0: as many as there are

  static std::string bits(std::uint64_t value, int width) {
    std::string out;
    for (int i = 0; i < width; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFFU);
    return out;
  }
  static std::string text(std::string_view value) {
    return bits(value.size(), 8) + std::string(value);
  }

  GgufMaker& raw(std::string_view key, std::uint32_t type, const std::string& value) {
    keys_ += text(key) + bits(type, 4) + value;
    ++key_count_;
    return *this;
  }
  GgufMaker& u32(std::string_view key, std::uint32_t value) { return raw(key, 4, bits(value, 4)); }
  GgufMaker& string(std::string_view key, std::string_view value) {
    return raw(key, 8, text(value));
  }
  GgufMaker& strings(std::string_view key, std::size_t count) {
    std::string items;
    for (std::size_t i = 0; i < count; ++i) items += text("t");
    return raw(key, 9, bits(8, 4) + bits(count, 8) + items);
  }
  GgufMaker& u32s(std::string_view key, const std::vector<std::uint32_t>& values) {
    std::string items;
    for (const std::uint32_t value : values) items += bits(value, 4);
    return raw(key, 9, bits(4, 4) + bits(values.size(), 8) + items);
  }
  // `shape`: fastest first. `offset`: only where it is to be wrong.
  GgufMaker& tensor(std::string_view name, std::string_view type,
                    const std::vector<std::uint64_t>& shape, std::int64_t offset = -1) {
    const GgmlType* known = find_ggml_type(type);
    std::uint64_t elements = 1;
    for (const std::uint64_t size : shape) elements *= size;
    const std::uint64_t bytes = elements / static_cast<std::uint64_t>(known->block) *
                                static_cast<std::uint64_t>(known->bytes);
    return raw_tensor(name, static_cast<std::uint32_t>(known->id), shape,
                      offset < 0 ? next_ : static_cast<std::uint64_t>(offset), bytes);
  }
  GgufMaker& raw_tensor(std::string_view name, std::uint32_t type,
                        const std::vector<std::uint64_t>& shape, std::uint64_t offset,
                        std::uint64_t bytes) {
    tensors_ += text(name) + bits(shape.size(), 4);
    for (const std::uint64_t size : shape) tensors_ += bits(size, 8);
    tensors_ += bits(type, 4) + bits(offset, 8);
    ++tensor_count_;
    end_ = next_ + bytes;
    next_ = padded(end_);
    return *this;
  }

  std::string header() const {
    std::string out = magic + bits(version, 4) +
                      bits(count_tensors_as == 0 ? tensor_count_ : count_tensors_as, 8) +
                      bits(count_keys_as == 0 ? key_count_ : count_keys_as, 8) + keys_ + tensors_;
    if (tensor_count_ > 0) out.resize(padded(out.size()));
    return out;
  }
  // Length of the whole file; its data need not be there.
  Bytes length() const { return Bytes{static_cast<std::int64_t>(header().size() + end_)}; }
  std::string file() const { return header() + std::string(end_, '\0'); }

 private:
  std::uint64_t padded(std::uint64_t at) const {
    return (at + alignment - 1) / alignment * alignment;
  }

  std::string keys_, tensors_;
  std::uint64_t key_count_ = 0, tensor_count_ = 0, next_ = 0, end_ = 0;
};

// A small model of that architecture: layers, width, heads, KV heads, vocabulary.
struct GgufShape {
  std::string architecture = "qwen2";
  std::uint32_t layers = 2;
  std::uint32_t width = 64;
  std::uint32_t heads = 4;
  std::uint32_t kv_heads = 2;
  std::uint32_t vocabulary = 320;
  std::uint32_t context = 256;
};
inline GgufMaker made_gguf(const GgufShape& shape = {}) {
  GgufMaker made;
  const std::string a = shape.architecture + '.';
  made.string("general.architecture", shape.architecture)
      .u32("general.file_type", 15)
      .u32(a + "block_count", shape.layers)
      .u32(a + "context_length", shape.context)
      .u32(a + "embedding_length", shape.width)
      .u32(a + "feed_forward_length", 2 * shape.width)
      .u32(a + "attention.head_count", shape.heads)
      .u32(a + "attention.head_count_kv", shape.kv_heads)
      .string("tokenizer.ggml.model", "gpt2")
      .strings("tokenizer.ggml.tokens", shape.vocabulary)
      .string("tokenizer.chat_template", "{{ messages }}")
      .tensor("token_embd.weight", "q8_0", {shape.width, shape.vocabulary})
      .tensor("output_norm.weight", "f32", {shape.width});
  return made;
}

}  // namespace sx
