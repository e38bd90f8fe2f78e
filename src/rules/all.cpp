// Every rule, in code order. A new rule adds a declaration and a line.
#include "rules/all.h"

#include "base/strings.h"

namespace sx::rules {

extern const Rule cli_flag_unknown;
extern const Rule cli_flag_removed;
extern const Rule flag_value_type;
extern const Rule flag_repeated;
extern const Rule flag_ambiguous;
extern const Rule extra_word;
extern const Rule config_file_ignored;
extern const Rule model_not_named;
extern const Rule visible_devices_repeated;
extern const Rule visible_devices_renumbered;
extern const Rule visible_devices_uuid;
extern const Rule flags_contradict;
extern const Rule flag_needs_another;
extern const Rule value_out_of_range;
extern const Rule batched_tokens_config;
extern const Rule tool_choice_flags;
extern const Rule page_size_mismatch;
extern const Rule dp_attention_unsupported;
extern const Rule setting_changed_silently;
extern const Rule docker_flag_after_image;
extern const Rule engine_flag_before_image;
extern const Rule gpus_list_unquoted;
extern const Rule too_few_gpus;
extern const Rule gpus_left_idle;
extern const Rule tp_heads_indivisible;
extern const Rule tp_kv_heads_indivisible;
extern const Rule tp_vocab_indivisible;
extern const Rule tp_dim_indivisible;
extern const Rule quant_group_tp_misaligned;
extern const Rule quant_marlin_thread_misaligned;
extern const Rule quant_fp8_block_tp_misaligned;
extern const Rule tp_exceeds_experts;
extern const Rule pp_exceeds_layers;
extern const Rule pp_partition_mismatch;
extern const Rule pp_unsupported_model;
extern const Rule tp_vision_heads_indivisible;
extern const Rule tp_linear_heads_indivisible;
extern const Rule parallel_size_nonsense;
extern const Rule ep_needs_moe;
extern const Rule dcp_layout;
extern const Rule ep_experts_indivisible;
extern const Rule quant_tp_unsupported;
extern const Rule layout_sizes_clash;
extern const Rule specdec_pp_incompatible;
extern const Rule oom_weights_too_big;
extern const Rule no_kv_blocks;
extern const Rule kv_cache_max_len;
extern const Rule gpu_mem_busy;
extern const Rule shm_too_small;
extern const Rule fraction_leaves_little;
extern const Rule weights_missing_shard;
extern const Rule weights_truncated;
extern const Rule model_file_is_not_model;
extern const Rule weights_index_mismatch;
extern const Rule model_not_found;
extern const Rule hf_access;
extern const Rule fp8_arch_unsupported;
extern const Rule quant_capability_unsupported;
extern const Rule dtype_bf16_unsupported;
extern const Rule quant_dtype_mismatch;
extern const Rule max_len_exceeds_config;
extern const Rule quant_mismatch;
extern const Rule quant_unknown;
extern const Rule model_arch_unknown;
extern const Rule trust_remote_code;
extern const Rule not_a_language_model;
extern const Rule dtype_fp16_refused;
extern const Rule rope_override_incomplete;
extern const Rule attn_backend_unsupported;
extern const Rule kv_dtype_unsupported;
extern const Rule speculative_settings;
extern const Rule model_lacks_feature;
extern const Rule gpu_lacks_feature;
extern const Rule model_path_not_mounted;
extern const Rule container_sees_fewer_gpus;
extern const Rule tp_group_weak_links;
extern const Rule p2p_disabled_left_on;
extern const Rule port_in_use;
extern const Rule port_used_twice;
extern const Rule published_port_mismatch;
extern const Rule container_listens_locally;
extern const Rule listener_without_key;
extern const Rule remote_code_allowed;
extern const Rule key_in_arguments;
extern const Rule root_on_host_network;

namespace {

constexpr const Rule* kAll[] = {
    &cli_flag_unknown,
    &cli_flag_removed,
    &flag_value_type,
    &flag_repeated,
    &flag_ambiguous,
    &extra_word,
    &config_file_ignored,
    &model_not_named,
    &visible_devices_repeated,
    &visible_devices_renumbered,
    &visible_devices_uuid,
    &flags_contradict,
    &flag_needs_another,
    &value_out_of_range,
    &batched_tokens_config,
    &tool_choice_flags,
    &page_size_mismatch,
    &dp_attention_unsupported,
    &setting_changed_silently,
    &docker_flag_after_image,
    &engine_flag_before_image,
    &gpus_list_unquoted,
    &too_few_gpus,
    &gpus_left_idle,
    &tp_heads_indivisible,
    &tp_kv_heads_indivisible,
    &tp_vocab_indivisible,
    &tp_dim_indivisible,
    &quant_group_tp_misaligned,
    &quant_marlin_thread_misaligned,
    &quant_fp8_block_tp_misaligned,
    &tp_exceeds_experts,
    &pp_exceeds_layers,
    &pp_partition_mismatch,
    &pp_unsupported_model,
    &tp_vision_heads_indivisible,
    &tp_linear_heads_indivisible,
    &parallel_size_nonsense,
    &ep_needs_moe,
    &dcp_layout,
    &ep_experts_indivisible,
    &quant_tp_unsupported,
    &layout_sizes_clash,
    &specdec_pp_incompatible,
    &oom_weights_too_big,
    &no_kv_blocks,
    &kv_cache_max_len,
    &gpu_mem_busy,
    &shm_too_small,
    &fraction_leaves_little,
    &weights_missing_shard,
    &weights_truncated,
    &model_file_is_not_model,
    &weights_index_mismatch,
    &model_not_found,
    &hf_access,
    &fp8_arch_unsupported,
    &quant_capability_unsupported,
    &dtype_bf16_unsupported,
    &quant_dtype_mismatch,
    &max_len_exceeds_config,
    &quant_mismatch,
    &quant_unknown,
    &model_arch_unknown,
    &trust_remote_code,
    &not_a_language_model,
    &dtype_fp16_refused,
    &rope_override_incomplete,
    &attn_backend_unsupported,
    &kv_dtype_unsupported,
    &speculative_settings,
    &model_lacks_feature,
    &gpu_lacks_feature,
    &model_path_not_mounted,
    &container_sees_fewer_gpus,
    &tp_group_weak_links,
    &p2p_disabled_left_on,
    &port_in_use,
    &port_used_twice,
    &published_port_mismatch,
    &container_listens_locally,
    &listener_without_key,
    &remote_code_allowed,
    &key_in_arguments,
    &root_on_host_network,
};

std::string_view folder_of(std::string_view code) {
  switch (code[2]) {
    case '1':
      return "command";
    case '2':
      return "layout";
    case '3':
      return "memory";
    case '4':
      return "model";
    case '5':
      return "machine";
    case '6':
      return "links";
    case '8':
      return "serving";
    case '9':
      return "exposure";
    default:
      SX_UNREACHABLE("a code of no family");
  }
}

}  // namespace

std::span<const Rule* const> all() { return kAll; }

const Rule* find(std::string_view code_or_name) {
  const std::string wanted = lower(code_or_name);
  for (const Rule* rule : kAll) {
    if (lower(rule->code) == wanted || rule->name == wanted) return rule;
  }
  return nullptr;
}

std::string_view family(const Rule& rule) { return folder_of(rule.code); }

std::string page_name(const Rule& rule, Language language) {
  return "rules/" + std::string(folder_of(rule.code)) + '/' + replaced(rule.name, "-", "_") +
         (language == Language::English ? ".md" : ".zh.md");
}

}  // namespace sx::rules
