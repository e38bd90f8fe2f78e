// quantization_config in the dialects of those who write it.
#include <gtest/gtest.h>

#include "unit/gather/model_made.h"

namespace sx {
namespace {

TEST(ModelQuantisation, Dialects) {
  const struct {
    std::string config;
    std::string quantisation;
  } rows[] = {
      {"null", "none"},
      {"{}", "none"},
      {R"({"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm", "zero_point": true, "modules_to_not_convert": ["visual"]})",
       "awq:gemm 4 group 128 kept 1"},
      {R"({"quant_method": "awq", "w_bit": 4, "q_group_size": 64})", "awq 4 group 64"},
      {R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": true, "sym": true})",
       "gptq 4 group 128 ordered"},
      {R"({"quant_method": "GPTQ", "bits": 8, "group_size": -1, "desc_act": false, "checkpoint_format": "gptq"})",
       "gptq:gptq 8 group -1"},
      {R"({"quant_method": "fp8", "activation_scheme": "static"})", "fp8 8 static"},
      {R"({"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": [128, 128], "modules_to_not_convert": ["lm_head"]})",
       "fp8 8 block 128x128 dynamic kept 1"},
      {R"({"quant_method": "compressed-tensors", "format": "pack-quantized", "ignore": ["lm_head"], "config_groups": {"group_0":
           {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128, "actorder": "group"}}}})",
       "compressed-tensors:pack-quantized 4 group 128 ordered kept 1"},
      {R"({"quant_method": "compressed-tensors", "format": "float-quantized", "kv_cache_scheme": {"num_bits": 8, "type": "float"},
           "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float", "strategy": "channel"}, "input_activations": {"dynamic": true}}}})",
       "compressed-tensors:float-quantized 8 group -1 dynamic kv"},
      {R"({"quant_method": "compressed-tensors", "format": "float-quantized", "config_groups": {"group_0": {"weights":
           {"num_bits": 8, "strategy": "block", "block_structure": [128, 128]}, "input_activations": {"dynamic": false}}}})",
       "compressed-tensors:float-quantized 8 block 128x128 static"},
      {R"({"quant_method": "compressed-tensors", "config_groups": {"a": {"weights": {"num_bits": 4, "group_size": 32}}, "b": {"weights": {"num_bits": 8}}}})",
       "compressed-tensors group 32"},
      {R"({"quant_method": "compressed-tensors", "config_groups": []})", "compressed-tensors"},
      {R"({"quant_method": "modelopt", "quant_algo": "NVFP4", "group_size": 16, "kv_cache_quant_algo": "FP8", "ignore": ["lm_head"]})",
       "modelopt:NVFP4 4 group 16 kv kept 1"},
      {R"({"quant_algo": "FP8", "kv_cache_scheme": {"dynamic": false, "num_bits": 8, "type": "float"}, "quant_method": "modelopt"})",
       "modelopt:FP8 8 kv"},
      {R"({"quant_algo": "MIXED_PRECISION", "quant_method": "modelopt"})",
       "modelopt:MIXED_PRECISION"},
      {R"({"quant_method": "mxfp4"})", "mxfp4 4 group 32"},
      {R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "load_in_8bit": false, "bnb_4bit_quant_type": "nf4", "llm_int8_skip_modules": null})",
       "bitsandbytes:nf4 4"},
      {R"({"load_in_8bit": true})", "bitsandbytes 8"},
      {R"({"quant_method": "awq", "bits": "four", "group_size": 1e18})", "awq"},
      {R"({"quant_method": "fp8", "weight_block_size": [128]})", "fp8 8"},
      {R"({"quant_method": "fp8", "weight_block_size": [-1, 0]})", "fp8 8"},
      {R"({"bits": 4})", "?"},
      {R"("awq")", "?"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(quant_of(model_of("{\"quantization_config\": " + row.config + "}")), row.quantisation)
        << row.config;
  }
  EXPECT_EQ(quant_of(model_of("{}")), "none");
  EXPECT_EQ(
      quant_of(model_of(R"({"text_config": {"quantization_config": {"quant_method": "mxfp4"}}})")),
      "mxfp4 4 group 32");
}

TEST(ModelQuantisation, ASideFileCountsWhenTheConfigIsSilent) {
  MemoryFiles files;
  files.add("/m/config.json", R"({"model_type": "llama"})");
  files.add("/m/hf_quant_config.json",
            R"({"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8",
    "kv_cache_quant_algo": null, "exclude_modules": ["lm_head"]}})");
  Sources sources;
  const ModelSpec m = gather_model(sources, "/m", outside_of(files));
  EXPECT_EQ(quant_of(m), "modelopt:FP8 8 kept 1");
  ASSERT_TRUE(m.quantisation.span());
  EXPECT_EQ(sources.at(m.quantisation.span()->source).name, "hf_quant_config.json");
}

}  // namespace
}  // namespace sx
