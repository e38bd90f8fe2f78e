// Machines and models that the tests of speed ask about, as plain values.
#pragma once

#include <string>
#include <vector>

#include "facts/host_spec.h"
#include "facts/model_spec.h"

namespace sx::testing {

inline Gpu gpu_named(const std::string& name, int index = 0) {
  Gpu gpu;
  gpu.index = index;
  gpu.name = {name, Origin::Config};
  const GpuKind* kind = gpu_by_driver_name(name, {});
  if (kind == nullptr) return gpu;
  if (kind->memory) gpu.memory = {*kind->memory, Origin::Config};
  const bool board = name.find("PCI") != name.npos || name.find("RTX") != name.npos;
  if (!board) gpu.nvlink = {kind->nvlink_gb_per_second.value_or(0) > 0, Origin::Config};
  return gpu;
}

// `link`: class of every pair, empty: not known.
inline HostSpec machine(int count, const std::string& name, const std::string& link = {},
                        const std::string& peer = {}) {
  HostSpec host;
  host.gpu_count = {count, Origin::Config};
  const auto size = static_cast<std::size_t>(count);
  for (int i = 0; i < count; ++i) host.gpus.push_back(gpu_named(name, i));
  if (!link.empty()) host.links.classes.assign(size, std::vector<std::string>(size, link));
  if (!peer.empty()) host.links.p2p.assign(size, std::vector<std::string>(size, peer));
  return host;
}

inline Fact<int> number(int value) { return {value, Origin::Config}; }

// Qwen3-32B.
inline ModelSpec dense_32b() {
  ModelSpec m;
  m.model_type = {"qwen3", Origin::Config};
  m.layers = number(64);
  m.hidden_size = number(5120);
  m.intermediate_size = number(25600);
  m.heads = number(64);
  m.kv_heads = number(8);
  m.head_dim = number(128);
  m.vocab_size = number(151936);
  m.quantisation = {Quantisation{}, Origin::Config};
  return m;
}

// Qwen3-30B-A3B.
inline ModelSpec experts_30b() {
  ModelSpec m = dense_32b();
  m.model_type = {"qwen3_moe", Origin::Config};
  m.layers = number(48);
  m.hidden_size = number(2048);
  m.intermediate_size = number(6144);
  m.heads = number(32);
  m.kv_heads = number(4);
  m.experts = number(128);
  m.experts_per_token = number(8);
  m.expert_width = number(768);
  return m;
}

// DeepSeek-V3's attention and experts, in block FP8.
inline ModelSpec latent_671b() {
  ModelSpec m = dense_32b();
  m.model_type = {"deepseek_v3", Origin::Config};
  m.layers = number(61);
  m.hidden_size = number(7168);
  m.intermediate_size = number(18432);
  m.heads = number(128);
  m.kv_heads = number(128);
  m.q_lora = number(1536);
  m.kv_lora = number(512);
  m.qk_nope_dim = number(128);
  m.qk_rope_dim = number(64);
  m.v_head_dim = number(128);
  m.experts = number(256);
  m.experts_per_token = number(8);
  m.expert_width = number(2048);
  m.shared_expert_width = number(2048);
  m.dense_layers_first = number(3);
  Quantisation fp8;
  fp8.method = "fp8";
  fp8.bits = 8;
  fp8.block_rows = fp8.block_columns = 128;
  m.quantisation = {fp8, Origin::Config};
  return m;
}

// Qwen3-Next-80B-A3B: three layers of linear attention to one of full attention.
inline ModelSpec hybrid_80b() {
  ModelSpec m = experts_30b();
  m.model_type = {"qwen3_next", Origin::Config};
  m.heads = number(16);
  m.kv_heads = number(2);
  m.head_dim = number(256);
  m.experts = number(512);
  m.experts_per_token = number(10);
  m.expert_width = number(512);
  m.linear_key_heads = number(16);
  m.linear_value_heads = number(32);
  m.linear_key_dim = number(128);
  m.linear_value_dim = number(128);
  m.linear_conv = number(4);
  m.full_interval = number(4);
  return m;
}

// Gemma 3 27B: five layers with a window to one without.
inline ModelSpec windows_27b() {
  ModelSpec m = dense_32b();
  m.model_type = {"gemma3_text", Origin::Config};
  m.layers = number(62);
  m.hidden_size = number(5376);
  m.intermediate_size = number(21504);
  m.heads = number(32);
  m.kv_heads = number(16);
  m.vocab_size = number(262208);
  m.sliding_window = {Tokens{1024}, Origin::Config};
  m.layer_pattern = {"5 sliding : 1 full (every 6th full)", Origin::Config};
  return m;
}

}  // namespace sx::testing
