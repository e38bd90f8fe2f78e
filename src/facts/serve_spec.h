// What a launch command asks for, in words that no engine owns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/both.h"
#include "base/bytes.h"
#include "base/version.h"
#include "facts/fact.h"
#include "read/command.h"

namespace sx {

// One use of a flag in the command, or in a file that the command splices in.
struct FlagUse {
  std::string name;   // the table's name, "--tensor-parallel-size"; for an unknown flag as typed
  std::string typed;  // as typed: "-tp", "--tensor_parallel_size"
  std::string
      meant;  // of an unknown flag: the engine's own flag that another engine's spelling stands for
  std::vector<std::string> values;
  std::optional<std::string> path;  // of a dotted flag: "a.b" of --x.a.b
  bool append = false;              // a dotted flag that adds to a list: --x.a+
  bool negated = false;             // --no-x, or --disable-x of --enable-x
  bool complete =
      true;  // false: holds something that cannot be known here ("$TP" that is set nowhere)
  bool spliced = false;        // stands in a file that the command names
  bool possible = false;       // between two versions that were read: this version may not have it
  Span name_span;              // the flag word (without =value)
  Span span;                   // flag and values: what a message underlines
  std::size_t first_word = 0;  // in Command::words; words of a spliced file have word_count 0
  std::size_t word_count = 0;
};

// What reading the command line found wrong; the rules of family SX1 say it.
struct FlagProblem {
  enum class Kind {
    Unknown,    // no version that was read has it
    NotYet,     // only newer versions have it
    Removed,    // only older versions have it
    Ambiguous,  // a prefix of several flags
    MissingValue,
    UnwantedValue,  // --enforce-eager=true
    WrongType,      // `expected` says what is wanted
    NotAChoice,
    BadJson,
    ExtraWord,      // a word that belongs to no flag
    ConfigIgnored,  // --config=file (one word) is passed over
    ConfigUnreadable,
    NoEffect,  // `key: false` in a config file
  };
  // What is wrong with the file of a ConfigUnreadable.
  enum class File { None, Ending, NotThere, NotYaml, NoMap, Several };

  Kind kind;
  std::string name;  // the table's name where known, else as typed
  std::string typed;
  std::string value;
  // Type word, choices, or why the file does not parse: "a whole number", "auto, half, float16".
  Both expected;
  File file = File::None;
  // Of Ambiguous; of Removed and NotYet where the name is the beginning of several flags here; of
  // Unknown: nearest spellings.
  std::vector<std::string> candidates;
  Span span;
  std::size_t first_word = 0;
  std::size_t word_count = 0;
};

struct PipelinePartition {
  std::vector<int> layers;
};

struct ServeSpec {
  std::string engine;  // "vllm"; empty: no engine recognised
  Version version;
  Origin version_origin = Origin::Default;  // Default: the newest known was taken
  bool flags_checked = true;                // false: older than the oldest version read
  std::size_t model_word = 0;  // index in Command::words of the model; 0: not in the words

  std::vector<FlagUse> flags;  // in order of appearance; the last one of a name wins
  std::vector<FlagProblem> problems;
  std::size_t problems_left_out = 0;  // past a limit they are only counted

  Fact<std::string> model;  // path or hub id
  Fact<std::string> tokenizer;
  Fact<int> tensor_parallel, pipeline_parallel, data_parallel, data_parallel_local;
  Fact<int> attention_data_parallel;  // ranks of one tensor group that split attention by requests
  Fact<int> prefill_context_parallel, decode_context_parallel, node_count;
  Fact<bool> expert_parallel;     // every expert stands whole on one rank
  Fact<int> expert_ranks;         // ranks that share the experts out, where the launch may say so
  Fact<int> first_gpu, gpu_step;  // of the visible ones: which it takes first, and every how many
  Fact<std::string> executor_backend;
  Fact<Tokens> max_model_len;     // unknown: take the model's own limit
  Fact<bool> max_model_len_auto;  // `auto` or -1: as long as fits
  Fact<double> memory_fraction;
  Fact<Bytes> kv_cache_bytes;       // --kv-cache-memory-bytes
  Fact<int> max_num_seqs;           // unknown: engine default by card, see Engine::budget
  Fact<Tokens> max_batched_tokens;  // of one prefill step
  Fact<Tokens> kv_tokens;           // a limit of the whole KV pool, said outright
  Fact<int> block_size;
  Fact<std::string> dtype, quantization, kv_dtype, load_format;
  Fact<bool> enforce_eager, prefix_caching, chunked_prefill;
  Fact<bool> trust_remote_code, language_model_only, encoder_data_parallel;
  Fact<Bytes> cpu_offload;
  Fact<std::string> speculative;   // JSON text
  Fact<std::string> hf_overrides;  // JSON text
  Fact<bool> rope_overridden;      // any flag that stretches the context
  Fact<bool> allow_long_max_len;   // VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 and its like
  Fact<std::string> host;  // listening address; "unix:PATH" of a Unix socket, which has no port
  Fact<int> port;
  Fact<bool> has_api_key;
  Fact<std::string> visible_devices;  // CUDA_VISIBLE_DEVICES
  Fact<std::string> device_order;     // CUDA_DEVICE_ORDER
  Fact<PipelinePartition> partition;  // layers of each stage
  Fact<std::string> served_name;

  // Of llama.cpp.
  Fact<int> gpu_layers;                    // layers on GPUs; a huge value: all
  Fact<std::string> split_mode;            // "none", "layer", "row", "tensor"
  Fact<std::vector<double>> tensor_split;  // shares of the cards
  Fact<int> main_gpu;
  Fact<Tokens> physical_batch;        // --ubatch-size
  Fact<std::string> value_kv_dtype;   // of V, where K and V may differ
  Fact<std::string> flash_attention;  // "on", "off", "auto"

  // GPUs of one replica: tensor x pipeline x prefill-context.
  std::optional<int> world_size() const;
  // GPUs of the launch on this host: world size x local data-parallel size, shared out over
  // node_count machines.
  std::optional<int> gpus_wanted() const;
  // The use of a flag that counts; null when it is not used. The name is the engine's own, or the
  // common one (knowledge/foreign_flags.h).
  const FlagUse* use_of(std::string_view name) const;
};

}  // namespace sx
