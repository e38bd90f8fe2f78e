// A ServeSpec as a whole command line in long names: the model, then what the facts say, then the
// flags that no fact holds.
#include <algorithm>
#include <string>

#include "engines/argparse/writer.h"
#include "engines/vllm/vllm.h"

namespace sx::vllm {
namespace {

using argparse::Writer;

void write_parallel(Writer& write, const ServeSpec& serve) {
  write.value("--tensor-parallel-size", serve.tensor_parallel);
  write.value("--pipeline-parallel-size", serve.pipeline_parallel);
  write.value("--data-parallel-size", serve.data_parallel);
  if (!write.used("--data-parallel-rank"))
    write.value("--data-parallel-size-local", serve.data_parallel_local);
  write.value("--prefill-context-parallel-size", serve.prefill_context_parallel);
  write.value("--decode-context-parallel-size", serve.decode_context_parallel);
  write.value("--nnodes", serve.node_count);
  write.toggle("--enable-expert-parallel", serve.expert_parallel);
  write.value("--distributed-executor-backend", serve.executor_backend);
}

void write_memory(Writer& write, const ServeSpec& serve) {
  if (serve.max_model_len_auto.value_or(false)) {
    write.cover("--max-model-len");
    write.put("--max-model-len", "auto");
  }
  write.value("--max-model-len", serve.max_model_len);
  write.value("--gpu-memory-utilization", serve.memory_fraction);
  write.value("--kv-cache-memory-bytes", serve.kv_cache_bytes);
  write.value("--max-num-seqs", serve.max_num_seqs);
  write.value("--max-num-batched-tokens", serve.max_batched_tokens);
  write.value("--block-size", serve.block_size);
  write.value("--kv-cache-dtype", serve.kv_dtype);
  write.toggle("--enforce-eager", serve.enforce_eager);
  write.toggle("--enable-prefix-caching", serve.prefix_caching);
  write.toggle("--enable-chunked-prefill", serve.chunked_prefill);
  Fact<double> offload;
  if (serve.cpu_offload.known()) {
    offload = {in_gib(serve.cpu_offload.value()), serve.cpu_offload.origin(),
               serve.cpu_offload.span()};
  }
  write.value("--cpu-offload-gb", offload);
}

void write_model(Writer& write, const ServeSpec& serve) {
  write.value("--tokenizer", serve.tokenizer);
  write.value("--dtype", serve.dtype);
  write.value("--quantization", serve.quantization);
  write.value("--load-format", serve.load_format);
  write.toggle("--trust-remote-code", serve.trust_remote_code);
  write.toggle("--language-model-only", serve.language_model_only);
}

// Facts that several flags may have made are written from those flags where there are any.
void write_gathered(Writer& write, const ServeSpec& serve) {
  const auto made = [&](std::string_view beginning) {
    return std::ranges::any_of(serve.flags,
                               [&](const FlagUse& use) { return use.name.starts_with(beginning); });
  };
  const auto asked = [](const auto& fact) { return fact.known() && fact.origin() == Origin::Flag; };
  if (asked(serve.speculative) && !made("--spec") && !made("--num-speculative")) {
    write.put("--speculative-config", serve.speculative.value());
  }
  if (asked(serve.hf_overrides) && !made("--hf-overrides"))
    write.put("--hf-overrides", serve.hf_overrides.value());
  if (asked(serve.encoder_data_parallel) && serve.encoder_data_parallel.value() &&
      !made("--mm-encoder-tp-mode") && !made("--enable-multimodal-encoder")) {
    write.put("--mm-encoder-tp-mode", "data");
  }
  if (asked(serve.served_name) && !made("--served-model-name"))
    write.put("--served-model-name", serve.served_name.value());
}

void write_server(Writer& write, const ServeSpec& serve) {
  constexpr std::string_view kUnix = "unix:";
  if (serve.host.known() && serve.host.value().starts_with(kUnix)) {
    write.value("--uds",
                Fact<std::string>(serve.host.value().substr(kUnix.size()), serve.host.origin()));
  } else {
    write.value("--host", serve.host);
    write.value("--port", serve.port);
  }
}

}  // namespace

std::vector<std::string> command_for(const ServeSpec& serve) {
  Writer write(serve);
  write.add("vllm");
  write.add("serve");
  if (serve.model.known() && serve.model.origin() != Origin::Default)
    write.add(serve.model.value());
  write_parallel(write, serve);
  write_memory(write, serve);
  write_model(write, serve);
  write_gathered(write, serve);
  write_server(write, serve);
  write.rest("--model");
  return std::move(write).finish();
}

}  // namespace sx::vllm
