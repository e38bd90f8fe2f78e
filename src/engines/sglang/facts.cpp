// What each flag and variable says about the launch, in words that no engine owns.
#include "engines/sglang/facts.h"

#include <array>

#include "engines/argparse/conversions.h"
#include "engines/argparse/environment.h"
#include "engines/argparse/model_place.h"
#include "engines/argparse/speculative.h"

namespace sx::sglang {
namespace {

using argparse::converted;
using argparse::Dialect;
using argparse::Parsed;
using argparse::Reading;
using argparse::to_tokens;

constexpr Text kNoModel{"the command names no model", "命令没有指定模型"};

// A switch that turns something off, as the fact that it is on.
Fact<bool> unless(const Reading& read, std::string_view off) {
  const auto said = read.flag(off);
  if (!said.known()) {
    return said.why_unknown().empty() ? Fact<bool>(true, Origin::Default)
                                      : Fact<bool>::unknown(said.why_unknown());
  }
  return {!said.value(), said.origin(), said.span()};
}

// -1 turns chunks off; whole prompts then share a budget of their own.
void fill_chunks(ServeSpec& serve, const Reading& read) {
  const auto size = read.integer("--chunked-prefill-size");
  if (size.known() && size.value() <= 0) {
    serve.chunked_prefill = Fact<bool>(false, size.origin(), size.span());
    serve.max_batched_tokens = converted(read.integer("--max-prefill-tokens"), to_tokens);
    return;
  }
  serve.chunked_prefill = Fact<bool>(true, Origin::Default);
  serve.max_batched_tokens = converted(size, to_tokens);
}

void fill_memory(ServeSpec& serve, const Reading& read) {
  serve.max_model_len = converted(read.integer("--context-length"), to_tokens);
  serve.max_model_len_auto = Fact<bool>(false, Origin::Default);
  serve.memory_fraction = read.number("--mem-fraction-static");
  serve.max_num_seqs = read.count("--max-running-requests");
  serve.kv_tokens = converted(read.integer("--max-total-tokens"), to_tokens);
  serve.block_size = read.count("--page-size");
  serve.kv_dtype = read.text("--kv-cache-dtype");
  serve.enforce_eager = read.flag("--disable-cuda-graph");
  serve.prefix_caching = unless(read, "--disable-radix-cache");
  fill_chunks(serve, read);
  serve.cpu_offload = converted(read.number("--cpu-offload-gb"), argparse::gib_to_bytes);
}

// Without a flag for the whole of it.
Fact<std::string> speculative_of(const Reading& read) {
  using Kind = argparse::SpeculativeFlag::Kind;
  static constexpr std::array<argparse::SpeculativeFlag, 3> kFlags{
      {{"--speculative-algorithm", "method", Kind::Method},
       {"--speculative-draft-model-path", "model", Kind::Text},
       {"--speculative-num-draft-tokens", "num_speculative_tokens", Kind::Number}}};
  return argparse::speculative_of(read, kFlags);
}

void fill_model(ServeSpec& serve, const Parsed& parsed, const Reading& read,
                const Sources& sources) {
  if (!argparse::fill_model_place(serve, parsed, sources))
    serve.model = Fact<std::string>::unknown(kNoModel);
  serve.tokenizer = read.text("--tokenizer-path");
  serve.dtype = read.text("--dtype");
  serve.quantization = read.text("--quantization");
  serve.load_format = read.text("--load-format");
  serve.trust_remote_code = read.flag("--trust-remote-code");
  serve.language_model_only = read.flag("--language-model-only");
  serve.encoder_data_parallel = read.flag("--mm-enable-dp-encoder");
  serve.speculative = speculative_of(read);
  serve.hf_overrides = read.json("--json-model-override-args");
  serve.rope_overridden = argparse::stretches_context(serve.hf_overrides);
  serve.served_name = read.text("--served-model-name");
}

void fill_server(ServeSpec& serve, const Reading& read) {
  serve.host = read.text("--host");
  serve.port = read.count("--port");
  if (const FlagUse* key = read.use("--api-key")) {
    const bool filled = !key->complete || (!key->values.empty() && !key->values.front().empty());
    serve.has_api_key = Fact<bool>(filled, Origin::Flag, key->span);
  } else {
    serve.has_api_key = Fact<bool>(false, Origin::Default);
  }
}

}  // namespace

void fill_facts(ServeSpec& serve, const Command& command, const Parsed& parsed,
                const Dialect& dialect, const Sources& sources) {
  const Reading read(serve, dialect, sources);
  fill_model(serve, parsed, read, sources);
  fill_layout(serve, read);
  fill_memory(serve, read);
  fill_server(serve, read);
  serve.allow_long_max_len = argparse::truth_variable(
      command, "sglang", "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN", sources);
  serve.visible_devices = argparse::variable(command, "CUDA_VISIBLE_DEVICES", sources);
  serve.device_order = argparse::variable(command, "CUDA_DEVICE_ORDER", sources);
  serve.partition = argparse::partition_variable(command, "SGLANG_PP_LAYER_PARTITION", sources);
}

}  // namespace sx::sglang
