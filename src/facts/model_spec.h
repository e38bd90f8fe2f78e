// What a model is, as its config and the headers of its weight files say.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "facts/fact.h"
#include "read/safetensors.h"

namespace sx {

struct Quantisation {
  std::string method;  // "awq", "gptq", "fp8", "compressed-tensors", "modelopt", "mxfp4",
                       // "bitsandbytes", "gguf" …
  std::optional<double> bits;
  std::optional<int> group_size;                 // -1: one group a column
  std::optional<int> block_rows, block_columns;  // of block FP8: weight_block_size [n, k]
  std::string format;  // compressed-tensors format, modelopt algorithm, main type of a GGUF file
  std::optional<bool> ordered;  // GPTQ desc_act
  std::optional<bool> static_activation;
  std::optional<bool> kv_fp8;     // the checkpoint asks for an FP8 KV cache
  std::vector<std::string> kept;  // modules left in 16 bit, as the config names them
};

struct RopeScaling {
  std::string
      type;  // empty: none; "default", "yarn", "llama3", "linear", "dynamic", "longrope", "mrope" …
  std::optional<double> factor;
  std::optional<std::int64_t> original_positions;
};

struct VisionTower {
  Fact<int> layers, hidden_size, intermediate_size, heads, patch_size, out_hidden_size;
};

enum class FileState {
  Ok,
  Truncated,
  Missing,
  Extra,
  Damaged,
  Pointer,
  WebPage,
  Text,
  Unreadable,
  Obsolete  // whole, in a format that no engine reads any more
};

struct WeightFile {
  std::string path;       // relative to the model folder
  Bytes bytes;            // real length; 0 when missing
  Bytes expected;         // by its own header or the index; 0: not known
  bool at_least = false;  // `expected` is only what its header takes: it ends before that
  FileState state = FileState::Ok;
  Both detail;
};

// A text beside the weights that the engine cannot read, or a value of the wrong kind in it.
struct DamagedText {
  enum class Kind { NoJson, Empty, Pointer, WebPage, NoObject, WrongKind };
  enum class Of { Config, Tokenizer, Index };
  std::string file;  // "config.json"
  Kind kind = Kind::NoJson;
  Of of = Of::Config;
  Span place;
  std::string key;  // of WrongKind
  Both what;        // of NoJson: what is wrong at the place; of the last two: what stands there
  bool wants_number = false;  // of WrongKind: a number is wanted, else an object
};

// Where the model's facts come from as a whole.
enum class ModelFrom { Nowhere, Catalogue, Directory, Cache, Hub };

struct ModelSpec {
  ModelFrom from = ModelFrom::Nowhere;
  std::string id;                // hub id or path as asked
  std::string folder;            // where it was read; empty for the catalogue
  std::string same_shape_as;     // catalogue id whose row stands in; empty: its own
  Message why_unknown;           // of Nowhere: "not in the catalogue, and no local copy was found"
  std::vector<Message> assumed;  // what was taken in its place: "the hub did not answer …"
  std::vector<std::string> closest_ids;
  std::vector<std::string> siblings;  // catalogue ids of the same model in fewer bits

  Fact<std::string> architecture, model_type, dtype;
  Fact<bool> generates;  // false: not a language model (diffusion pipeline …)
  Fact<int> layers, hidden_size, intermediate_size, heads, kv_heads, head_dim, vocab_size;
  Fact<int> value_dim;  // width of a value head where it is said apart; unknown: as head_dim
  // KV heads of each layer where layers differ, 0: one without attention; empty: all alike. Then
  // kv_heads is the largest.
  std::vector<int> kv_heads_by_layer;
  Fact<Tokens>
      max_positions;  // the longest context by the config, rope scaling applied as engines do
  Fact<std::int64_t> config_positions;  // the number in the config file itself
  Fact<RopeScaling> rope;
  Fact<Tokens> sliding_window;      // 0: none
  Fact<std::string> layer_pattern;  // as the catalogue writes it
  // One word a layer: "full_attention", "sliding_attention", "chunked_attention",
  // "linear_attention", "mamba", "mlp", "moe"; as the config writes them, or written out from an
  // interval, a pattern or the family. Empty: all alike.
  std::vector<std::string> layer_types;
  Fact<bool> tied_embeddings, qkv_bias, gated_query;

  // Known and 0: the model has no such part.
  Fact<int> experts, experts_per_token, expert_width, shared_expert_width, dense_layers_first;
  Fact<int> expert_interval;  // 1: each layer behind the dense ones has experts; 2: every second
  Fact<int> q_lora, kv_lora, qk_nope_dim, qk_rope_dim, v_head_dim;  // MLA
  Fact<int> linear_key_heads, linear_value_heads, linear_key_dim, linear_value_dim, linear_conv,
      full_interval;
  Fact<int> ssm_conv, ssm_inner, ssm_state, ssm_groups;  // state-space layers, as GGUF names them
  VisionTower vision;                                    // layers known and 0: no tower
  Fact<int> draft_layers;                                // MTP layers that come with the checkpoint

  Fact<Quantisation> quantisation;  // unknown; known with an empty method: none
  Fact<bool> needs_remote_code;  // auto_map with a config or a class that the engine has not itself
  Fact<double> parameters_billion;
  Fact<Bytes> checkpoint_bytes;

  // What a folder holds instead of a model. Unknown: nothing of the kind was seen.
  Fact<std::string> adapter_kind;    // "LORA" …: weights of an adapter, no model
  Fact<std::string> adapter_base;    // the model that the adapter was made for
  Fact<std::string> pipeline_class;  // "StableDiffusionXLPipeline": a diffusion pipeline

  Fact<bool> tokenizer, chat_template;  // whether they come with the model

  // Of GGUF files the types are ggml's: "f16", "q4_K".
  std::vector<TensorInfo> tensors;  // of all weight files; empty: no headers were read
  std::vector<WeightFile> files;    // empty: no folder
  // consolidated*.safetensors beside files of the hub's format: the same weights a second time, in
  // Mistral's own format. They are not among `files`, and their insides are not read.
  std::vector<WeightFile> second_copy;
  Fact<std::string> weight_format;  // "safetensors", "pytorch", "gguf"
  std::vector<DamagedText> damaged_texts;
  // How the parts of a split GGUF file were named or put together wrongly; empty: rightly.
  Both split_problem;
  std::string split_first;  // the file to name instead; empty: there is none
  Both index_problem;  // why the weight index could not be used; empty: it could, or there is none
  std::string index_file;  // then, its name
  std::vector<std::string>
      index_without_file;  // tensors that the index puts into a readable file that lacks them

  bool is_moe() const { return experts.known() && experts.value() > 0; }
  bool is_mla() const { return kv_lora.known() && kv_lora.value() > 0; }
  bool is_linear_hybrid() const {
    return linear_value_heads.known() && linear_value_heads.value() > 0;
  }
  bool is_quantised() const { return quantisation.known() && !quantisation.value().method.empty(); }
};

}  // namespace sx
