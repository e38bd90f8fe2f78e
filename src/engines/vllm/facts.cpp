// What each flag and variable says about the launch, in words that no engine owns.
#include "engines/vllm/facts.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "engines/argparse/conversions.h"
#include "engines/argparse/environment.h"
#include "engines/argparse/model_place.h"
#include "engines/argparse/reading.h"
#include "engines/argparse/speculative.h"
#include "engines/argparse/values.h"

namespace sx::vllm {
namespace {

using argparse::converted;
using argparse::Dialect;
using argparse::gib_to_bytes;
using argparse::integer_value;
using argparse::Parsed;
using argparse::Reading;
using argparse::to_bytes;
using argparse::to_tokens;
using argparse::truth_variable;
using argparse::variable;

constexpr Text kNoModel{"the command names no model", "命令没有指定模型"};
constexpr Text kNoPort{"the server listens on a Unix socket", "服务监听的是 Unix 套接字"};

void fill_parallel(ServeSpec& serve, const Reading& read) {
  const auto size = [&](std::string_view name) {
    auto count = read.count(name);
    return count.known() || !count.why_unknown().empty() ? count : Fact<int>(1, Origin::Default);
  };
  serve.tensor_parallel = size("--tensor-parallel-size");
  serve.pipeline_parallel = size("--pipeline-parallel-size");
  serve.data_parallel = size("--data-parallel-size");
  serve.prefill_context_parallel = size("--prefill-context-parallel-size");
  serve.decode_context_parallel = size("--decode-context-parallel-size");
  serve.node_count = size("--nnodes");
  serve.data_parallel_local = read.count("--data-parallel-size-local");
  const FlagUse* rank = read.use("--data-parallel-rank");
  if (read.use("--data-parallel-size-local") == nullptr) {
    // A launch that names its own rank is that one rank.
    if (rank != nullptr) {
      serve.data_parallel_local = Fact<int>(1, Origin::Flag, rank->span);
    } else if (serve.data_parallel.known()) {
      serve.data_parallel_local =
          Fact<int>(serve.data_parallel.value(), Origin::Default, serve.data_parallel.span());
    } else {
      serve.data_parallel_local = Fact<int>::unknown(serve.data_parallel.why_unknown());
    }
  }
  serve.expert_parallel = read.flag("--enable-expert-parallel");
  serve.executor_backend = read.text("--distributed-executor-backend");
}

void fill_memory(ServeSpec& serve, const Reading& read, const Dialect& dialect) {
  const auto length = read.integer("--max-model-len");
  const bool automatic = length.known() && length.value() == -1;
  const FlagRow* row = dialect.flags.find("--max-model-len");
  const bool takes_auto = row != nullptr && integer_value(*row, "auto", dialect).has_value();
  if (automatic && takes_auto) {
    serve.max_model_len_auto = Fact<bool>(true, Origin::Flag, length.span());
  } else {
    serve.max_model_len_auto = Fact<bool>(false, Origin::Default);
    serve.max_model_len = converted(length, to_tokens);
  }
  serve.memory_fraction = read.number("--gpu-memory-utilization");
  serve.kv_cache_bytes = converted(read.integer("--kv-cache-memory-bytes"), to_bytes);
  serve.max_num_seqs = read.count("--max-num-seqs");
  serve.max_batched_tokens = converted(read.integer("--max-num-batched-tokens"), to_tokens);
  serve.block_size = read.count("--block-size");
  serve.kv_dtype = read.text("--kv-cache-dtype");
  serve.enforce_eager = read.flag("--enforce-eager");
  serve.prefix_caching = read.flag("--enable-prefix-caching");
  serve.chunked_prefill = read.flag("--enable-chunked-prefill");
  serve.cpu_offload = converted(read.number("--cpu-offload-gb"), gib_to_bytes);
}

Fact<bool> encoder_data(const Reading& read) {
  if (const FlagUse* older = read.use("--enable-multimodal-encoder-data-parallel")) {
    return {true, Origin::Flag, older->span};
  }
  const auto mode = read.text("--mm-encoder-tp-mode");
  if (!mode.known() && !mode.why_unknown().empty()) return Fact<bool>::unknown(mode.why_unknown());
  return {mode.known() && mode.value() == "data", mode.known() ? mode.origin() : Origin::Default,
          mode.span()};
}

// --speculative-config, or the short flags that newer versions have beside it.
Fact<std::string> speculative_of(const Reading& read) {
  const auto whole = read.json("--speculative-config");
  if (whole.known() || !whole.why_unknown().empty()) return whole;
  using Kind = argparse::SpeculativeFlag::Kind;
  static constexpr std::array<argparse::SpeculativeFlag, 6> kFlags{
      {{"--spec-method", "method", Kind::Method},
       {"--spec-model", "model", Kind::Text},
       {"--spec-tokens", "num_speculative_tokens", Kind::Number},
       {"--speculative-model", "model", Kind::Text},
       {"--num-speculative-tokens", "num_speculative_tokens", Kind::Number},
       {"--speculative-draft-tensor-parallel-size", "draft_tensor_parallel_size", Kind::Number}}};
  return argparse::speculative_of(read, kFlags);
}

Fact<bool> rope_of(const ServeSpec& serve, const Reading& read) {
  for (const std::string_view name : {"--rope-scaling", "--rope-theta"}) {
    const auto uses = read.uses(name);
    if (!uses.empty()) return {true, Origin::Flag, uses.back()->span};
  }
  return argparse::stretches_context(serve.hf_overrides);
}

void fill_model(ServeSpec& serve, const Parsed& parsed, const Reading& read,
                const Sources& sources) {
  if (!argparse::fill_model_place(serve, parsed, sources)) {
    // With a file of flags and no model in it the engine stops; without one it takes its own
    // default.
    const bool stops = std::ranges::any_of(
        serve.problems, [](const FlagProblem& problem) { return problem.name == "model_tag"; });
    if (stops) {
      serve.model = Fact<std::string>::unknown(kNoModel);
    } else {
      const auto known = engine_default("vllm", "model", serve.version);
      if (known) serve.model = Fact<std::string>(std::string(known->value), Origin::Default);
    }
  }
  serve.tokenizer = read.text("--tokenizer");
  serve.dtype = read.text("--dtype");
  serve.quantization = read.text("--quantization");
  serve.load_format = read.text("--load-format");
  serve.trust_remote_code = read.flag("--trust-remote-code");
  serve.language_model_only = read.flag("--language-model-only");
  serve.encoder_data_parallel = encoder_data(read);
  serve.speculative = speculative_of(read);
  serve.hf_overrides = read.json("--hf-overrides");
  serve.rope_overridden = rope_of(serve, read);
  serve.served_name = read.text("--served-model-name");
}

void fill_server(ServeSpec& serve, const Command& command, const Reading& read,
                 const Sources& sources) {
  serve.host = read.text("--host");
  if (!serve.host.known() && serve.host.why_unknown().empty()) {
    serve.host = Fact<std::string>("0.0.0.0", Origin::Default);  // unset: every address
  }
  serve.port = read.count("--port");
  const auto socket = read.text("--uds");
  if (socket.known()) {
    serve.host = Fact<std::string>("unix:" + socket.value(), Origin::Flag, socket.span());
    serve.port = Fact<int>::unknown(kNoPort);
  }

  const auto filled = [](const std::string& key) { return !key.empty(); };
  const auto variable_key = variable(command, "VLLM_API_KEY", sources);
  if (const FlagUse* key = read.use("--api-key")) {
    serve.has_api_key = key->complete ? Fact<bool>(std::ranges::any_of(key->values, filled),
                                                   Origin::Flag, key->span)
                                      : Fact<bool>(true, Origin::Flag, key->span);
  } else if (variable_key.known()) {
    serve.has_api_key =
        Fact<bool>(filled(variable_key.value()), Origin::Environment, variable_key.span());
  } else if (!variable_key.why_unknown().empty()) {
    serve.has_api_key = Fact<bool>::unknown(variable_key.why_unknown());
  } else {
    serve.has_api_key = Fact<bool>(false, Origin::Default);
  }
}

}  // namespace

void fill_facts(ServeSpec& serve, const Command& command, const Parsed& parsed,
                const Dialect& dialect, const Sources& sources) {
  const Reading read(serve, dialect, sources);
  fill_model(serve, parsed, read, sources);
  fill_parallel(serve, read);
  fill_memory(serve, read, dialect);
  fill_server(serve, command, read, sources);
  serve.allow_long_max_len =
      truth_variable(command, "vllm", "VLLM_ALLOW_LONG_MAX_MODEL_LEN", sources);
  serve.visible_devices = variable(command, "CUDA_VISIBLE_DEVICES", sources);
  serve.device_order = variable(command, "CUDA_DEVICE_ORDER", sources);
  serve.partition = argparse::partition_variable(command, "VLLM_PP_LAYER_PARTITION", sources);
}

}  // namespace sx::vllm
