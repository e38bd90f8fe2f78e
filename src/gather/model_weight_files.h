// One weight file at a time, and the names that shards have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/model_spec.h"
#include "read/gguf.h"
#include "sys/files.h"

namespace sx {

// What one safetensors file is; appends the tensors of a readable header to `tensors`.
WeightFile read_safetensors(const Files& files, const std::string& folder, const std::string& name,
                            std::vector<TensorInfo>& tensors);

// What one GGUF file is; `header` is set when it could be read.
WeightFile read_gguf(const Files& files, const std::string& folder, const std::string& name,
                     std::optional<GgufHeader>& header);

// A file of another format: its length, and whether something else lies in its place.
WeightFile look_at_weights(const Files& files, const std::string& folder, const std::string& name);

// "model-00002-of-00004.safetensors".
struct ShardName {
  std::string_view before;  // "model"
  int number = 0;
  int of = 0;
  std::string_view after;  // ".safetensors"
};
std::optional<ShardName> shard_name(std::string_view name);
// And back again, with five digits.
std::string shard_file(const ShardName& shard, int number);

// The names of shards that the names present call for and that are not there.
std::vector<std::string> shards_missing(const std::vector<std::string>& present);

}  // namespace sx
