// What model classes assume when their config does not say.
// Source: the `__init__` defaults of configuration_*.py in
// https://github.com/huggingface/transformers (4.56), read 2026-11; classes without a default of
// their own inherit tie_word_embeddings=True from PretrainedConfig.
#include <algorithm>
#include <array>

#include "gather/model_parts.h"

namespace sx {
namespace {

struct ClassFlag {
  std::string_view model_type;
  bool value;
};

constexpr std::array kTies = {
    ClassFlag{"bloom", true},        ClassFlag{"cohere", true},
    ClassFlag{"cohere2", true},      ClassFlag{"dbrx", false},
    ClassFlag{"deepseek_v2", false}, ClassFlag{"deepseek_v3", false},
    ClassFlag{"falcon", true},       ClassFlag{"gemma", true},
    ClassFlag{"gemma2", true},       ClassFlag{"gemma3_text", true},
    ClassFlag{"glm4", false},        ClassFlag{"glm4_moe", false},
    ClassFlag{"gpt2", true},         ClassFlag{"gpt_bigcode", true},
    ClassFlag{"gpt_neox", false},    ClassFlag{"gpt_oss", false},
    ClassFlag{"granite", false},     ClassFlag{"llama", false},
    ClassFlag{"llama4_text", false}, ClassFlag{"mistral", false},
    ClassFlag{"mixtral", false},     ClassFlag{"mpt", true},
    ClassFlag{"olmo2", false},       ClassFlag{"opt", true},
    ClassFlag{"phi3", false},        ClassFlag{"qwen2", false},
    ClassFlag{"qwen2_moe", false},   ClassFlag{"qwen3", false},
    ClassFlag{"qwen3_moe", false},   ClassFlag{"qwen3_next", false},
};

// Attention projections with a bias that no config field tells of: the classes write it out
// (modeling_qwen2.py and its kin; qwen.py of Qwen 1).
constexpr std::array kBias = {
    ClassFlag{"qwen", true},
    ClassFlag{"qwen2", true},
    ClassFlag{"qwen2_moe", true},
    ClassFlag{"qwen2_vl", true},
    ClassFlag{"qwen2_vl_text", true},
    ClassFlag{"qwen2_5_vl", true},
    ClassFlag{"qwen2_5_vl_text", true},
    ClassFlag{"qwen2_5_omni_text", true},
    ClassFlag{"mistral", false},
    ClassFlag{"mixtral", false},
    ClassFlag{"gemma2", false},
    ClassFlag{"deepseek_v2", false},
    ClassFlag{"deepseek_v3", false},
    ClassFlag{"llama", false},
    ClassFlag{"qwen3", false},
    ClassFlag{"qwen3_moe", false},
    ClassFlag{"qwen3_next", false},
    ClassFlag{"gemma3_text", false},
    ClassFlag{"phi3", false},
    ClassFlag{"gpt_oss", true},
};

struct ClassNumber {
  std::string_view model_type;
  std::string_view field;
  int value;
};

// Only of classes whose published checkpoints leave numbers out of a nested text_config (Gemma 3
// 4B, LLaVA 1.5).
constexpr std::array kNumbers = {
    ClassNumber{"gemma3_text", "num_attention_heads", 8},
    ClassNumber{"gemma3_text", "num_key_value_heads", 4},
    ClassNumber{"gemma3_text", "head_dim", 256},
    ClassNumber{"gemma3_text", "vocab_size", 262208},
    ClassNumber{"gemma3_text", "max_position_embeddings", 131072},
    ClassNumber{"gemma3_text", "sliding_window_pattern", 6},
    ClassNumber{"llama", "hidden_size", 4096},
    ClassNumber{"llama", "intermediate_size", 11008},
    ClassNumber{"llama", "num_hidden_layers", 32},
    ClassNumber{"llama", "num_attention_heads", 32},
    ClassNumber{"llama", "vocab_size", 32000},
    ClassNumber{"llama", "max_position_embeddings", 2048},
    ClassNumber{"mistral", "hidden_size", 4096},
    ClassNumber{"mistral", "intermediate_size", 14336},
    ClassNumber{"mistral", "num_hidden_layers", 32},
    ClassNumber{"mistral", "num_attention_heads", 32},
    ClassNumber{"mistral", "num_key_value_heads", 8},
    ClassNumber{"mistral", "vocab_size", 32000},
};

template <class Table>
std::optional<bool> flag_of(const Table& table, std::string_view model_type) {
  const auto* row = std::ranges::find(table, model_type, &ClassFlag::model_type);
  if (row == table.end()) return {};
  return row->value;
}

}  // namespace

std::optional<bool> class_ties_embeddings(std::string_view model_type) {
  return flag_of(kTies, model_type);
}
std::optional<bool> class_has_qkv_bias(std::string_view model_type) {
  return flag_of(kBias, model_type);
}

std::optional<int> class_default(std::string_view model_type, std::string_view field) {
  for (const ClassNumber& row : kNumbers) {
    if (row.model_type == model_type && row.field == field) return row.value;
  }
  return {};
}

}  // namespace sx
