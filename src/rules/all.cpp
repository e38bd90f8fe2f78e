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
extern const Rule manifest_refused;
extern const Rule compose_backslash;
extern const Rule number_text_dropped;
extern const Rule mm_item_exceeds_batch;
extern const Rule variable_unknown;
extern const Rule variable_without_effect;
extern const Rule variable_value;
extern const Rule debugging_left_on;
extern const Rule variable_not_passed_on;
extern const Rule command_ends_early;
extern const Rule printed_characters;
extern const Rule word_not_expanded;
extern const Rule blank_around_equals;
extern const Rule windows_line_ends;
extern const Rule exit_code_hidden;
extern const Rule demo_server_removed;
extern const Rule model_on_one_gpu;
extern const Rule popular_advice;
extern const Rule file_absent;
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
extern const Rule device_order_mismatch;
extern const Rule tensor_split_mismatch;
extern const Rule gpus_shared_by_launches;
extern const Rule launcher_world_size;
extern const Rule tp_not_needed;
extern const Rule tp_power_of_two;
extern const Rule row_split_unsupported;
extern const Rule oom_weights_too_big;
extern const Rule no_kv_blocks;
extern const Rule kv_cache_max_len;
extern const Rule gpu_mem_busy;
extern const Rule shm_too_small;
extern const Rule fraction_leaves_little;
extern const Rule mem_fraction_too_low;
extern const Rule mem_fraction_too_high;
extern const Rule kv_cache_too_big;
extern const Rule gpu_layers_too_many;
extern const Rule uneven_tensor_split;
extern const Rule pipeline_copies_compute_buffer;
extern const Rule layers_left_on_host;
extern const Rule host_memory_short;
extern const Rule fraction_wastes_memory;
extern const Rule recurrent_state_caps_requests;
extern const Rule batch_limits_cost_cache;
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
extern const Rule adapter_as_model;
extern const Rule gguf_split_misuse;
extern const Rule v_cache_needs_flash_attn;
extern const Rule kv_type_block_indivisible;
extern const Rule gguf_damaged;
extern const Rule model_format_obsolete;
extern const Rule gguf_keys_unusable;
extern const Rule parser_unfit;
extern const Rule tokenizer_missing;
extern const Rule chat_template_missing;
extern const Rule context_above_training;
extern const Rule yarn_more_than_needed;
extern const Rule model_id_misspelt;
extern const Rule weights_stored_twice;
extern const Rule repository_as_file;
extern const Rule config_unreadable;
extern const Rule driver_too_old;
extern const Rule driver_library_mismatch;
extern const Rule ecc_uncorrectable;
extern const Rule gpu_fallen_off_bus;
extern const Rule xid_in_kernel_log;
extern const Rule fabric_manager_down;
extern const Rule mig_multi_gpu;
extern const Rule compute_mode_refuses;
extern const Rule gpu_slowed_down;
extern const Rule mixed_cards;
extern const Rule gpu_not_visible;
extern const Rule memlock_limit;
extern const Rule container_sees_fewer_gpus;
extern const Rule persistence_off;
extern const Rule gpu_drives_screen;
extern const Rule numa_node_without_memory;
extern const Rule open_files_low;
extern const Rule power_limit_low;
extern const Rule gpu_arch_unsupported;
extern const Rule tp_group_weak_links;
extern const Rule p2p_disabled_left_on;
extern const Rule nvlink_degraded;
extern const Rule pcie_link_narrow;
extern const Rule p2p_hang;
extern const Rule custom_all_reduce_failed;
extern const Rule nccl_env_misuse;
extern const Rule nccl_wrong_interface;
extern const Rule gloo_wrong_interface;
extern const Rule tp_over_pcie;
extern const Rule interface_not_chosen;
extern const Rule port_in_use;
extern const Rule port_used_twice;
extern const Rule published_port_mismatch;
extern const Rule container_listens_locally;
extern const Rule probe_too_early;
extern const Rule start_timeout_too_short;
extern const Rule replicas_share_host_port;
extern const Rule stop_before_drained;
extern const Rule slots_too_many;
extern const Rule parallel_slots_divide_context;
extern const Rule wait_too_short;
extern const Rule port_unusable;
extern const Rule served_name_is_path;
extern const Rule probe_port_mismatch;
extern const Rule probe_without_key;
extern const Rule probe_path_unknown;
extern const Rule port_needs_privilege;
extern const Rule listener_without_key;
extern const Rule remote_code_allowed;
extern const Rule key_in_arguments;
extern const Rule root_on_host_network;
extern const Rule development_endpoints;
extern const Rule media_path_wide;
extern const Rule key_easily_guessed;
extern const Rule key_in_file;
extern const Rule remote_code_unpinned;
extern const Rule secret_readable_by_all;

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
    &manifest_refused,
    &compose_backslash,
    &number_text_dropped,
    &mm_item_exceeds_batch,
    &variable_unknown,
    &variable_without_effect,
    &variable_value,
    &debugging_left_on,
    &variable_not_passed_on,
    &command_ends_early,
    &printed_characters,
    &word_not_expanded,
    &blank_around_equals,
    &windows_line_ends,
    &exit_code_hidden,
    &demo_server_removed,
    &model_on_one_gpu,
    &popular_advice,
    &file_absent,
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
    &device_order_mismatch,
    &tensor_split_mismatch,
    &gpus_shared_by_launches,
    &launcher_world_size,
    &tp_not_needed,
    &tp_power_of_two,
    &row_split_unsupported,
    &oom_weights_too_big,
    &no_kv_blocks,
    &kv_cache_max_len,
    &gpu_mem_busy,
    &shm_too_small,
    &fraction_leaves_little,
    &mem_fraction_too_low,
    &mem_fraction_too_high,
    &kv_cache_too_big,
    &gpu_layers_too_many,
    &uneven_tensor_split,
    &pipeline_copies_compute_buffer,
    &layers_left_on_host,
    &host_memory_short,
    &fraction_wastes_memory,
    &recurrent_state_caps_requests,
    &batch_limits_cost_cache,
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
    &adapter_as_model,
    &gguf_split_misuse,
    &v_cache_needs_flash_attn,
    &kv_type_block_indivisible,
    &gguf_damaged,
    &model_format_obsolete,
    &gguf_keys_unusable,
    &parser_unfit,
    &tokenizer_missing,
    &chat_template_missing,
    &context_above_training,
    &yarn_more_than_needed,
    &model_id_misspelt,
    &weights_stored_twice,
    &repository_as_file,
    &config_unreadable,
    &driver_too_old,
    &driver_library_mismatch,
    &ecc_uncorrectable,
    &gpu_fallen_off_bus,
    &xid_in_kernel_log,
    &fabric_manager_down,
    &mig_multi_gpu,
    &compute_mode_refuses,
    &gpu_slowed_down,
    &mixed_cards,
    &gpu_not_visible,
    &memlock_limit,
    &container_sees_fewer_gpus,
    &persistence_off,
    &gpu_drives_screen,
    &numa_node_without_memory,
    &open_files_low,
    &power_limit_low,
    &gpu_arch_unsupported,
    &tp_group_weak_links,
    &p2p_disabled_left_on,
    &nvlink_degraded,
    &pcie_link_narrow,
    &p2p_hang,
    &custom_all_reduce_failed,
    &nccl_env_misuse,
    &nccl_wrong_interface,
    &gloo_wrong_interface,
    &tp_over_pcie,
    &interface_not_chosen,
    &port_in_use,
    &port_used_twice,
    &published_port_mismatch,
    &container_listens_locally,
    &probe_too_early,
    &start_timeout_too_short,
    &replicas_share_host_port,
    &stop_before_drained,
    &slots_too_many,
    &parallel_slots_divide_context,
    &wait_too_short,
    &port_unusable,
    &served_name_is_path,
    &probe_port_mismatch,
    &probe_without_key,
    &probe_path_unknown,
    &port_needs_privilege,
    &listener_without_key,
    &remote_code_allowed,
    &key_in_arguments,
    &root_on_host_network,
    &development_endpoints,
    &media_path_wide,
    &key_easily_guessed,
    &key_in_file,
    &remote_code_unpinned,
    &secret_readable_by_all,
};

}  // namespace

std::span<const Rule* const> all() { return kAll; }

const Rule* find(std::string_view code_or_name) {
  const std::string wanted = lower(code_or_name);
  for (const Rule* rule : kAll) {
    if (lower(rule->code) == wanted || rule->name == wanted) return rule;
  }
  return nullptr;
}

}  // namespace sx::rules
