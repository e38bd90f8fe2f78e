// A model, a machine and the bare launch that plans are asked for, as plain values.
#pragma once

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "engines/engine.h"
#include "plan/plan.h"
#include "read/shell_words.h"

namespace sx::testing {

inline Fact<int> number(int value) { return {value, Origin::Config}; }

// Qwen2.5-72B in 16 bit.
inline ModelSpec dense_72b() {
  ModelSpec m;
  m.from = ModelFrom::Catalogue;
  m.id = "made/dense-72b";
  m.architecture = {"Qwen2ForCausalLM", Origin::Config};
  m.model_type = {"qwen2", Origin::Config};
  m.dtype = {"bfloat16", Origin::Config};
  m.layers = number(80);
  m.hidden_size = number(8192);
  m.intermediate_size = number(29568);
  m.heads = number(64);
  m.kv_heads = number(8);
  m.head_dim = number(128);
  m.vocab_size = number(152064);
  m.max_positions = {Tokens{32768}, Origin::Config};
  m.tied_embeddings = {false, Origin::Config};
  m.experts = number(0);
  m.qkv_bias = {true, Origin::Config};
  m.quantisation = {Quantisation{}, Origin::Config};
  return m;
}

inline Gpu card(int index, const std::string& name, Bytes usable) {
  Gpu gpu;
  gpu.index = index;
  gpu.name = {name, Origin::Config};
  gpu.memory = {usable + mib(600), Origin::Config};
  gpu.usable = gpu.usable_low = gpu.usable_high = {usable, Origin::Config};
  gpu.capability = {ComputeCapability{8, 0}, Origin::Config};
  gpu.multiprocessors = number(108);
  gpu.bf16 = {true, Origin::Config};
  gpu.nvlink = {false, Origin::Config};
  return gpu;
}

inline HostSpec machine(int count, Bytes usable = mib(40335)) {
  HostSpec host;
  host.name = "made";
  host.gpu_count = number(count);
  for (int i = 0; i < count; ++i) host.gpus.push_back(card(i, "NVIDIA A100-PCIE-40GB", usable));
  return host;
}

// Owns what the bare launch points into.
struct Question {
  Sources sources;
  ModelSpec model;
  HostSpec host;
  Case bare;
  PlanAsk ask;

  Question(ModelSpec m, HostSpec h,
           const std::vector<std::string>& words = {"vllm", "serve", "made/dense-72b"})
      : model(std::move(m)), host(std::move(h)) {
    bare.command = command_from_argv(sources, words);
    const Engine* engine = find_engine("vllm");
    bare.serve = engine->understand(bare.command, Version{.major = 0, .minor = 33}, sources,
                                    [](std::string_view) { return std::nullopt; });
    bare.sources = &sources;
    bare.model_spec = &model;
    bare.host_spec = &host;
    bare.whole_host = &host;
    bare.visible = visible_devices(bare.serve, host);
    ask.launches = {&bare};
    ask.load = {.users = 32, .input = Tokens{2000}, .output = Tokens{500}};
    ask.context = Tokens{32768};
  }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  PlanAnswer answer() const { return make_plans(ask); }
};

}  // namespace sx::testing
