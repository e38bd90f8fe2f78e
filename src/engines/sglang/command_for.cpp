// A ServeSpec as a whole command line: the module, which every version has, the model, then what
// the facts say, then the flags that no fact holds.
#include <algorithm>

#include "engines/argparse/writer.h"
#include "engines/sglang/sglang.h"
#include "knowledge/flags.h"

namespace sx::sglang {
namespace {

using argparse::text_of;
using argparse::Writer;

template <class T>
bool by_flag(const Fact<T>& fact) {
  return fact.known() && fact.origin() == Origin::Flag;
}

// A switch that says no to a fact.
void write_off(Writer& write, std::string_view name, const Fact<bool>& fact) {
  if (!fact.known()) return;
  write.cover(name);
  if (by_flag(fact) && !fact.value()) write.add(std::string(name));
}

bool has_flag(const ServeSpec& serve, std::string_view name) {
  const EngineFlags* flags = engine_flags("sglang");
  const FlagRow* row = flags == nullptr ? nullptr : flags->find(name);
  return row != nullptr && flags->standing(*row, serve.version) == Standing::Known;
}

void write_data_parallel(Writer& write, const ServeSpec& serve) {
  const auto& groups = serve.attention_data_parallel;
  if (!groups.known() || !serve.data_parallel.known()) return;
  for (const char* name : {"--dp-size", "--attn-dp-size", "--enable-dp-attention"})
    write.cover(name);
  if (!by_flag(groups)) return write.value("--dp-size", serve.data_parallel);
  if (has_flag(serve, "--attn-dp-size")) {
    write.value("--attn-dp-size", groups);
    return write.value("--dp-size", serve.data_parallel);
  }
  write.value("--dp-size", groups);
  write.add("--enable-dp-attention");
}

void write_layout(Writer& write, const ServeSpec& serve) {
  write.value("--tp-size", serve.tensor_parallel);
  write.value("--pp-size", serve.pipeline_parallel);
  write_data_parallel(write, serve);
  write.value("--dcp-size", serve.decode_context_parallel);
  write.value("--nnodes", serve.node_count);
  if (by_flag(serve.expert_ranks)) {
    write.value("--ep-size", serve.expert_ranks);
  } else if (by_flag(serve.expert_parallel) && serve.expert_parallel.value() &&
             serve.tensor_parallel.known()) {
    write.cover("--ep-size");
    write.put("--ep-size", text_of(serve.tensor_parallel.value()));
  }
  write.value("--base-gpu-id", serve.first_gpu);
  write.value("--gpu-id-step", serve.gpu_step);
}

void write_memory(Writer& write, const ServeSpec& serve) {
  write.value("--context-length", serve.max_model_len);
  write.value("--mem-fraction-static", serve.memory_fraction);
  write.value("--max-running-requests", serve.max_num_seqs);
  write.value("--max-total-tokens", serve.kv_tokens);
  if (by_flag(serve.chunked_prefill) && !serve.chunked_prefill.value()) {
    write.cover("--chunked-prefill-size");
    write.put("--chunked-prefill-size", "-1");
    write.value("--max-prefill-tokens", serve.max_batched_tokens);
  } else {
    write.value("--chunked-prefill-size", serve.max_batched_tokens);
  }
  write.value("--page-size", serve.block_size);
  write.value("--kv-cache-dtype", serve.kv_dtype);
  write.on("--disable-cuda-graph", serve.enforce_eager);
  write_off(write, "--disable-radix-cache", serve.prefix_caching);
  Fact<int> offload;
  if (serve.cpu_offload.known()) {
    offload = {static_cast<int>(in_gib(serve.cpu_offload.value())), serve.cpu_offload.origin(),
               serve.cpu_offload.span()};
  }
  write.value("--cpu-offload-gb", offload);
}

void write_model(Writer& write, const ServeSpec& serve) {
  write.value("--tokenizer-path", serve.tokenizer);
  write.value("--dtype", serve.dtype);
  write.value("--quantization", serve.quantization);
  write.value("--load-format", serve.load_format);
  write.on("--trust-remote-code", serve.trust_remote_code);
  write.on("--language-model-only", serve.language_model_only);
  write.toggle("--mm-enable-dp-encoder", serve.encoder_data_parallel);
  if (by_flag(serve.hf_overrides)) {
    write.cover("--json-model-override-args");
    write.put("--json-model-override-args", serve.hf_overrides.value());
  }
  write.value("--served-model-name", serve.served_name);
}

}  // namespace

std::vector<std::string> command_for(const ServeSpec& serve) {
  Writer write(serve);
  for (const char* word : {"python3", "-m", "sglang.launch_server"}) write.add(word);
  if (serve.model.known()) write.put("--model-path", serve.model.value());
  write_layout(write, serve);
  write_memory(write, serve);
  write_model(write, serve);
  write.value("--host", serve.host);
  write.value("--port", serve.port);
  write.rest(serve.model.known() ? "--model-path" : "");
  return std::move(write).finish();
}

}  // namespace sx::sglang
