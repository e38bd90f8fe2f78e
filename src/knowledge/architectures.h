// Model classes that vLLM knows and what each can do (data/engines/vllm/architectures.tsv).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/version.h"

namespace sx {

struct ArchitectureRow {
  std::string_view name;  // "Qwen2ForCausalLM"
  std::string_view category;
  std::optional<bool> pipeline;  // may be split into stages; empty: not known
  std::optional<bool> lora;      // takes adapters
  std::optional<bool> multimodal;
  std::optional<bool> hybrid;
  std::optional<bool> encoder_data;   // takes --mm-encoder-tp-mode data
  std::optional<bool> eagle3_target;  // a draft of the EAGLE-3 kind may be put in front of it
  std::optional<bool> eplb;           // experts can be moved between ranks while it serves
  std::optional<bool> expert_limit;   // refuses more ranks than experts
  std::optional<bool> mla;
  std::string_view kv_head_rule;      // "replicate …", "-" …
  std::optional<Version> first_seen;  // empty: in the oldest version read
  std::optional<Version> removed;     // first version read without it
  std::string_view source;
};

std::vector<std::string_view> architecture_names();  // in order
std::optional<ArchitectureRow> find_architecture(std::string_view name);

// A class's standing in a version: true known, false not there, empty cannot tell (older than the
// oldest read or between).
std::optional<bool> architecture_in(const ArchitectureRow& row, const Version& version);

}  // namespace sx
