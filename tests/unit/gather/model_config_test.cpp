// config.json of many families: what each says of its shape, in whatever words.
#include <gtest/gtest.h>

#include "unit/gather/model_made.h"

namespace sx {
namespace {

TEST(ModelConfig, Llama) {
  const ModelSpec m = model_of(
      R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
    "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "vocab_size": 128256, "max_position_embeddings": 131072, "torch_dtype": "bfloat16", "attention_bias": false,
    "rope_scaling": {"factor": 8.0, "low_freq_factor": 1.0, "original_max_position_embeddings": 8192, "rope_type": "llama3"}})");
  EXPECT_EQ(shape_of(m), "32x4096 32/8x128 14336 128256");
  EXPECT_EQ(context_of(m), "131072 llama3 131072 window 0");
  EXPECT_EQ(experts_of(m), "0/0x0+0 0");
  EXPECT_EQ(told(m.dtype), "bfloat16");
  EXPECT_EQ(told(m.generates), "yes");
  EXPECT_EQ(told(m.qkv_bias), "no");
  EXPECT_EQ(told(m.tied_embeddings), "no");
  EXPECT_EQ(m.tied_embeddings.origin(), Origin::Default);
  EXPECT_EQ(quant_of(m), "none");
  EXPECT_EQ(told(m.vision.layers), "0");
  EXPECT_EQ(told(m.needs_remote_code), "no");
  EXPECT_FALSE(m.is_moe() || m.is_mla() || m.is_linear_hybrid() || m.is_quantised());
}

TEST(ModelConfig, EachFactKnowsItsPlace) {
  const std::string text = "{\n  \"num_attention_heads\": 64,\n  \"hidden_size\": 8192\n}";
  Sources sources;
  const int source = sources.add({.name = "config.json", .text = text});
  const ModelSpec m = model_from_config(sources, source);
  ASSERT_TRUE(m.heads.span());
  EXPECT_EQ(sources.text(*m.heads.span()), "\"num_attention_heads\": 64");
  EXPECT_EQ(m.heads.origin(), Origin::Config);
  EXPECT_EQ(m.head_dim.origin(), Origin::Formula);
  EXPECT_FALSE(m.head_dim.span());
  EXPECT_EQ(reason_of(m.layers.why_unknown()), "config.json has no num_hidden_layers");
}

TEST(ModelConfig, Qwen2) {
  const ModelSpec m = model_of(
      R"({"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 3584,
    "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
    "vocab_size": 152064, "max_position_embeddings": 32768, "sliding_window": 131072, "use_sliding_window": false,
    "tie_word_embeddings": false, "torch_dtype": "bfloat16"})");
  EXPECT_EQ(shape_of(m), "28x3584 28/4x128 18944 152064");
  EXPECT_EQ(context_of(m), "32768 - 32768 window 0");
  EXPECT_EQ(told(m.qkv_bias), "yes");
  EXPECT_EQ(m.qkv_bias.origin(), Origin::Default);
}

TEST(ModelConfig, Qwen3Moe) {
  const ModelSpec m = model_of(
      R"({"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "hidden_size": 4096,
    "intermediate_size": 12288, "num_hidden_layers": 94, "num_attention_heads": 64, "num_key_value_heads": 4, "head_dim": 128,
    "vocab_size": 151936, "max_position_embeddings": 40960, "num_experts": 128, "num_experts_per_tok": 8,
    "moe_intermediate_size": 1536, "decoder_sparse_step": 1, "mlp_only_layers": [], "sliding_window": null})");
  EXPECT_EQ(shape_of(m), "94x4096 64/4x128 12288 151936");
  EXPECT_EQ(experts_of(m), "128/8x1536+0 0");
  EXPECT_EQ(told(m.expert_interval), "1");
  EXPECT_TRUE(m.is_moe());
}

TEST(ModelConfig, DeepSeekV3) {
  const ModelSpec m =
      model_of(R"({"architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3",
    "auto_map": {"AutoConfig": "configuration_deepseek.DeepseekV3Config"}, "first_k_dense_replace": 3, "hidden_size": 7168,
    "intermediate_size": 18432, "kv_lora_rank": 512, "max_position_embeddings": 163840, "moe_intermediate_size": 2048,
    "moe_layer_freq": 1, "n_routed_experts": 256, "n_shared_experts": 1, "num_attention_heads": 128, "num_experts_per_tok": 8,
    "num_hidden_layers": 61, "num_key_value_heads": 128, "num_nextn_predict_layers": 1, "q_lora_rank": 1536,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 129280, "torch_dtype": "bfloat16",
    "quantization_config": {"activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8", "weight_block_size": [128, 128]},
    "rope_scaling": {"beta_fast": 32, "factor": 40, "original_max_position_embeddings": 4096, "type": "yarn"}})");
  EXPECT_EQ(shape_of(m), "61x7168 128/128x192 18432 129280");
  EXPECT_EQ(experts_of(m), "256/8x2048+2048 3");
  EXPECT_EQ(context_of(m), "163840 yarn 163840 window 0");
  EXPECT_EQ(told(m.q_lora) + " " + told(m.kv_lora) + " " + told(m.qk_nope_dim) + " " +
                told(m.qk_rope_dim) + " " + told(m.v_head_dim),
            "1536 512 128 64 128");
  EXPECT_EQ(quant_of(m), "fp8:e4m3 8 block 128x128 dynamic");
  EXPECT_EQ(told(m.draft_layers), "1");
  EXPECT_EQ(told(m.needs_remote_code), "no");  // the class is the engine's own
  EXPECT_TRUE(m.is_mla());
}

TEST(ModelConfig, Gemma3KeepsItsTextInsideAndLeavesNumbersOut) {
  const ModelSpec m =
      model_of(R"({"architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3",
    "torch_dtype": "bfloat16", "text_config": {"hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text",
    "num_hidden_layers": 34, "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024},
    "vision_config": {"hidden_size": 1152, "image_size": 896, "intermediate_size": 4304, "model_type": "siglip_vision_model",
    "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 14}})");
  EXPECT_EQ(shape_of(m), "34x2560 8/4x256 10240 262208");
  EXPECT_EQ(m.heads.origin(), Origin::Default);
  EXPECT_EQ(told(m.model_type), "gemma3");
  EXPECT_EQ(context_of(m), "131072 linear 131072 window 1024");  // its length is scaled already
  EXPECT_EQ(layers_of(m).substr(0, 62),
            "5 sliding_attention, 1 full_attention, 5 sliding_attention, 1 ");
  EXPECT_EQ(m.layer_types.size(), 34U);
  EXPECT_EQ(told(m.tied_embeddings), "yes");
  EXPECT_EQ(told(m.vision.layers) + " " + told(m.vision.hidden_size) + " " + told(m.vision.heads) +
                " " + told(m.vision.intermediate_size) + " " + told(m.vision.patch_size),
            "27 1152 16 4304 14");
}

TEST(ModelConfig, Qwen3NextIsAHybrid) {
  const ModelSpec m =
      model_of(R"({"architectures": ["Qwen3NextForCausalLM"], "model_type": "qwen3_next",
    "decoder_sparse_step": 1, "full_attention_interval": 4, "head_dim": 256, "hidden_size": 2048, "intermediate_size": 5120,
    "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_num_key_heads": 16, "linear_num_value_heads": 32,
    "linear_value_head_dim": 128, "max_position_embeddings": 262144, "mlp_only_layers": [], "moe_intermediate_size": 512,
    "num_attention_heads": 16, "num_experts": 512, "num_experts_per_tok": 10, "num_hidden_layers": 8,
    "num_key_value_heads": 2, "shared_expert_intermediate_size": 512, "vocab_size": 151936})");
  EXPECT_EQ(shape_of(m), "8x2048 16/2x256 5120 151936");
  EXPECT_EQ(layers_of(m),
            "3 linear_attention, 1 full_attention, 3 linear_attention, 1 full_attention");
  EXPECT_EQ(experts_of(m), "512/10x512+512 0");
  EXPECT_EQ(told(m.linear_key_heads) + " " + told(m.linear_value_heads) + " " + told(m.linear_conv),
            "16 32 4");
  EXPECT_EQ(told(m.gated_query), "yes");
  EXPECT_EQ(told(m.draft_layers), "?");
}

TEST(ModelConfig, GptOss) {
  const ModelSpec m = model_of(
      R"({"architectures": ["GptOssForCausalLM"], "model_type": "gpt_oss", "attention_bias": true,
    "head_dim": 64, "hidden_size": 2880, "intermediate_size": 2880, "layer_types": ["sliding_attention", "full_attention"],
    "max_position_embeddings": 131072, "num_attention_heads": 64, "num_experts_per_tok": 4, "num_hidden_layers": 2,
    "num_key_value_heads": 8, "num_local_experts": 32, "sliding_window": 128, "vocab_size": 201088,
    "rope_scaling": {"factor": 32.0, "original_max_position_embeddings": 4096, "rope_type": "yarn"},
    "quantization_config": {"modules_to_not_convert": ["model.layers.*.self_attn", "lm_head"], "quant_method": "mxfp4"}})");
  EXPECT_EQ(shape_of(m), "2x2880 64/8x64 2880 201088");
  EXPECT_EQ(experts_of(m), "32/4x2880+0 0");
  EXPECT_EQ(context_of(m), "131072 yarn 131072 window 128");
  EXPECT_EQ(layers_of(m), "1 sliding_attention, 1 full_attention");
  EXPECT_EQ(quant_of(m), "mxfp4 4 group 32 kept 2");
  EXPECT_EQ(told(m.qkv_bias), "yes");
}

TEST(ModelConfig, OtherFamiliesInOtherWords) {
  const struct {
    std::string config;
    std::string shape;
    std::string experts;
    std::string context;
  } rows[] = {
      {R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
           "num_hidden_layers": 32, "num_key_value_heads": 8, "num_local_experts": 8, "num_experts_per_tok": 2,
           "vocab_size": 32000, "max_position_embeddings": 32768, "sliding_window": null})",
       "32x4096 32/8x128 14336 32000", "8/2x14336+0 0", "32768 - 32768 window 0"},
      {R"({"model_type": "falcon", "hidden_size": 4544, "multi_query": true, "num_attention_heads": 71, "num_kv_heads": 71,
           "num_hidden_layers": 32, "vocab_size": 65024, "new_decoder_architecture": false})",
       "32x4544 71/1x64 18176 65024", "0/0x0+0 0", "? - ? window 0"},
      {R"({"model_type": "falcon", "hidden_size": 8192, "multi_query": true, "n_head": 128, "n_layer": 60, "num_kv_heads": 8,
           "new_decoder_architecture": true, "vocab_size": 65024})",
       "60x8192 128/8x64 32768 65024", "0/0x0+0 0", "? - ? window 0"},
      {R"({"model_type": "chatglm", "ffn_hidden_size": 13696, "hidden_size": 4096, "kv_channels": 128,
           "multi_query_attention": true, "multi_query_group_num": 2, "num_attention_heads": 32, "num_layers": 40,
           "padded_vocab_size": 151552, "seq_length": 131072})",
       "40x4096 32/2x128 13696 151552", "0/0x0+0 0", "131072 - 131072 window 0"},
      {R"({"model_type": "gpt_bigcode", "n_embd": 6144, "n_head": 48, "n_inner": 24576, "n_layer": 40, "n_positions": 8192,
           "multi_query": true, "vocab_size": 49152})",
       "40x6144 48/1x128 24576 49152", "0/0x0+0 0", "8192 - 8192 window 0"},
      {R"({"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_inner": null, "n_layer": 12, "n_positions": 1024, "vocab_size": 50257})",
       "12x768 12/12x64 3072 50257", "0/0x0+0 0", "1024 - 1024 window 0"},
      {R"({"model_type": "opt", "hidden_size": 768, "ffn_dim": 3072, "num_attention_heads": 12, "num_hidden_layers": 12,
           "max_position_embeddings": 2048, "vocab_size": 50272})",
       "12x768 12/12x64 3072 50272", "0/0x0+0 0", "2048 - 2048 window 0"},
      {R"({"model_type": "mpt", "d_model": 4096, "n_heads": 32, "n_layers": 32, "max_seq_len": 2048, "vocab_size": 50432,
           "attn_config": {"kv_n_heads": 8}})",
       "32x4096 32/8x128 16384 50432", "0/0x0+0 0", "2048 - 2048 window 0"},
      {R"({"model_type": "dbrx", "d_model": 6144, "n_heads": 48, "n_layers": 40, "max_seq_len": 32768, "vocab_size": 100352,
           "attn_config": {"kv_n_heads": 8}, "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4}})",
       "40x6144 48/8x128 10752 100352", "16/4x10752+0 0", "32768 - 32768 window 0"},
      {R"({"model_type": "qwen", "hidden_size": 4096, "intermediate_size": 22016, "num_attention_heads": 32, "num_hidden_layers": 32,
           "kv_channels": 128, "seq_length": 8192, "max_position_embeddings": 32768, "vocab_size": 151936})",
       "32x4096 32/32x128 11008 151936", "0/0x0+0 0", "8192 - 8192 window 0"},
      {R"({"model_type": "cohere", "hidden_size": 8192, "intermediate_size": 22528, "num_attention_heads": 64, "num_hidden_layers": 40,
           "num_key_value_heads": 64, "vocab_size": 256000, "max_position_embeddings": 8192, "model_max_length": 131072})",
       "40x8192 64/64x128 22528 256000", "0/0x0+0 0", "131072 - 131072 window 0"},
      {R"({"model_type": "llava", "text_config": {"model_type": "llama", "vocab_size": 32064, "max_position_embeddings": 4096}})",
       "32x4096 32/32x128 11008 32064", "0/0x0+0 0", "4096 - 4096 window 0"},
      {R"({"model_type": "qwen2_5_omni", "thinker_config": {"text_config": {"model_type": "qwen2_5_omni_text", "hidden_size": 3584,
           "intermediate_size": 18944, "num_attention_heads": 28, "num_hidden_layers": 28, "num_key_value_heads": 4,
           "vocab_size": 152064, "max_position_embeddings": 32768}}})",
       "28x3584 28/4x128 18944 152064", "0/0x0+0 0", "32768 - 32768 window 0"},
      {R"({"model_type": "internvl_chat", "llm_config": {"model_type": "qwen3", "hidden_size": 4096, "intermediate_size": 12288,
           "num_attention_heads": 32, "num_hidden_layers": 36, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936,
           "max_position_embeddings": 40960}})",
       "36x4096 32/8x128 12288 151936", "0/0x0+0 0", "40960 - 40960 window 0"},
      {R"({"model_type": "ernie4_5_moe", "hidden_size": 2560, "num_attention_heads": 20, "num_key_value_heads": 4, "head_dim": 128,
           "num_hidden_layers": 28, "intermediate_size": 12288, "moe_num_experts": [64, 64], "moe_k": 6,
           "moe_intermediate_size": [1536, 512], "moe_layer_start_index": 1, "moe_num_shared_experts": 2, "vocab_size": 103424})",
       "28x2560 20/4x128 12288 103424", "64/6x?+? 1", "? - ? window 0"},
      {R"({"model_type": "mimo_v2", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 3, "n_routed_experts": 8,
           "num_experts_per_tok": 2, "moe_intermediate_size": 32, "moe_layer_freq": [0, 1, 1], "vocab_size": 320})",
       "3x64 4/4x16 ? 320", "8/2x32+0 1", "? - ? window 0"},
  };
  for (const auto& row : rows) {
    const ModelSpec m = model_of(row.config);
    EXPECT_EQ(shape_of(m), row.shape) << row.config;
    EXPECT_EQ(experts_of(m), row.experts) << row.config;
    EXPECT_EQ(context_of(m), row.context) << row.config;
  }
}

TEST(ModelConfig, SenselessValuesAreUnknownWithTheirReason) {
  const struct {
    std::string value;
    std::string reason;
  } rows[] = {
      {"\"64\"", "config.json says \"64\" for num_attention_heads, which cannot be right"},
      {"0", "config.json says 0 for num_attention_heads, which cannot be right"},
      {"-8", "config.json says -8 for num_attention_heads, which cannot be right"},
      {"1e18", "config.json says 1e18 for num_attention_heads, which cannot be right"},
      {"1e400", "config.json says 1e400 for num_attention_heads, which cannot be right"},
      {"10000001", "config.json says 10000001 for num_attention_heads, which cannot be right"},
      {"99999999999999999999",
       "config.json says 99999999999999999999 for num_attention_heads, which cannot be right"},
      {"64.5", "config.json says 64.5 for num_attention_heads, which cannot be right"},
      {"NaN", "config.json says NaN for num_attention_heads, which cannot be right"},
      {"true", "config.json says true for num_attention_heads, which cannot be right"},
      {"[]", "config.json says [] for num_attention_heads, which cannot be right"},
      {"[64, 32]", "config.json gives a list of different values for num_attention_heads"},
      {"{}", "config.json says {} for num_attention_heads, which cannot be right"},
      {"null", "config.json has no num_attention_heads"},
      {"64", ""},
      {"64.0", ""},
      {"[64, 64]", ""},
  };
  for (const auto& row : rows) {
    const ModelSpec m =
        model_of("{\"hidden_size\": 4096, \"num_attention_heads\": " + row.value + "}");
    EXPECT_EQ(reason_of(m.heads.why_unknown()), row.reason) << row.value;
    EXPECT_EQ(m.heads.known(), row.reason.empty()) << row.value;
    EXPECT_EQ(m.kv_heads.known(), row.reason.empty()) << row.value;
  }
}

TEST(ModelConfig, TextsThatAreNoConfig) {
  EXPECT_EQ(reason_of(model_of("").why_unknown),
            "config.json cannot be read: line 1, column 1: the text is empty");
  EXPECT_EQ(reason_of(model_of("[1]").why_unknown), "config.json is not a JSON object");
  EXPECT_EQ(reason_of(model_of("<!DOCTYPE html>").why_unknown),
            "config.json cannot be read: line 1, column 1: a value is missing");
  const ModelSpec odd = model_of(
      R"({"architectures": "x", "text_config": [], "vision_config": 3, "rope_scaling": "yarn",
    "quantization_config": 4, "layer_types": {}, "torch_dtype": 5, "tie_word_embeddings": "yes", "auto_map": 1})");
  EXPECT_FALSE(odd.architecture.known() || odd.rope.known() || odd.quantisation.known() ||
               odd.dtype.known());
  EXPECT_FALSE(odd.tied_embeddings.known());
}

TEST(ModelConfig, RemoteCodeIsNeededOnlyForClassesNobodyHas) {
  const auto needs = [](const std::string& rest) {
    return told(model_of("{\"architectures\": " + rest + "}").needs_remote_code);
  };
  EXPECT_EQ(needs(R"(["LlamaForCausalLM"])"), "no");
  EXPECT_EQ(needs(R"(["LlamaForCausalLM"], "auto_map": {"AutoModel": "x.Y"})"), "no");
  EXPECT_EQ(needs(R"(["NobodyHasThisForCausalLM"], "auto_map": {"AutoModel": "x.Y"})"), "yes");
}

TEST(ModelConfig, WhatGenerates) {
  const auto generates = [](const std::string& config) { return told(model_of(config).generates); };
  EXPECT_EQ(generates(R"({"architectures": ["MllamaForConditionalGeneration"]})"), "yes");
  EXPECT_EQ(generates(R"({"architectures": ["BertForMaskedLM"]})"), "no");
  EXPECT_EQ(
      generates(R"({"_class_name": "QwenImageTransformer2DModel", "_diffusers_version": "0.35"})"),
      "no");
  EXPECT_EQ(generates("{}"), "?");
}

}  // namespace
}  // namespace sx
