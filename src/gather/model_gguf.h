// Models in GGUF files: which files belong together, and what their headers tell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "facts/model_spec.h"
#include "read/gguf.h"
#include "sys/files.h"

namespace sx {

// Fills a model from the GGUF files of a folder: files, tensors and everything that the keys tell.
// `file` is the one that was asked for; empty: the folder itself, where `tag` ("Q4_K_M", may be
// empty) chooses among several models as llama.cpp does for a repository of the hub.
struct GgufAsk {
  std::string folder;
  std::string file;
  std::string tag;
};
void read_gguf_model(ModelSpec& model, const Files& files, const GgufAsk& ask);

// What the keys of a header tell of the model; gather/model_gguf.cpp and tests call it.
void read_gguf_keys(ModelSpec& model, const GgufHeader& header);

// A repository of GGUF files whose facts come from the catalogue's row of the model they were made
// from. `tag` may be empty: llama.cpp then takes Q4_K_M.
void describe_as_gguf(ModelSpec& model, std::string_view tag);

}  // namespace sx
