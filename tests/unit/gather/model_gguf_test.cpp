// Models in GGUF files: single files, split ones, folders and repositories with several, and what
// their keys tell.
#include "gather/model_gguf.h"

#include <gtest/gtest.h>

#include "../read/gguf_made.h"
#include "model_made.h"

namespace sx {
namespace {

ModelSpec gathered(const Files& files, const std::string& model) {
  Sources sources;
  return gather_model(sources, model, outside_of(files));
}

TEST(ModelGguf, AFileTellsItsShape) {
  MemoryFiles files;
  files.add("/m/tiny-Q4_K_M.gguf", made_gguf().file());
  const ModelSpec model = gathered(files, "/m/tiny-Q4_K_M.gguf");
  EXPECT_EQ(told(model.architecture), "qwen2");
  EXPECT_EQ(shape_of(model), "2x64 4/2x16 128 320");
  EXPECT_EQ(context_of(model), "256 - 256 window 0");
  EXPECT_EQ(told(model.weight_format), "gguf");
  EXPECT_EQ(model.quantisation.value().method, "gguf");
  EXPECT_EQ(model.quantisation.value().format, "Q4_K_M");
  EXPECT_EQ(told(model.tied_embeddings), "yes");
  EXPECT_EQ(told(model.tokenizer) + told(model.chat_template), "yesyes");
  EXPECT_EQ(model.checkpoint_bytes.value(), Bytes(64 * 320 / 32 * 34 + 256));
  EXPECT_EQ(files_of(model), "tiny-Q4_K_M.gguf ok");
  EXPECT_EQ(model.tensors.size(), 2U);
}

TEST(ModelGguf, FilesHaveStates) {
  MemoryFiles files;
  const GgufMaker made = made_gguf();
  files.add("/m/cut.gguf", made.file().substr(0, made.file().size() - 1));
  files.add("/m/head.gguf", made.file().substr(0, 100));
  files.add("/m/long.gguf", made.file() + "trailing");
  files.add("/m/pointer.gguf",
            "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 4683073536\n");
  files.add("/m/page.gguf", "<!DOCTYPE html><html>");
  files.add("/m/empty.gguf", "");
  files.add("/m/old.gguf", std::string("tjgg\x03\0\0\0", 8));
  const auto state = [&](const std::string& name) {
    return files_of(gathered(files, "/m/" + name + ".gguf"));
  };
  EXPECT_EQ(state("cut"), "cut.gguf truncated");
  EXPECT_EQ(state("head"), "head.gguf truncated");
  EXPECT_EQ(state("long"), "long.gguf ok");
  EXPECT_EQ(state("pointer"), "pointer.gguf pointer");
  EXPECT_EQ(state("page"), "page.gguf web page");
  EXPECT_EQ(state("empty"), "empty.gguf truncated");
  EXPECT_EQ(state("old"), "old.gguf obsolete");
}

GgufMaker part(std::uint16_t number, std::uint16_t count, std::uint32_t tensors) {
  GgufMaker made;
  if (number == 0) made = made_gguf();
  made.raw("split.no", 2, GgufMaker::bits(number, 2))
      .raw("split.count", 2, GgufMaker::bits(count, 2))
      .raw("split.tensors.count", 5, GgufMaker::bits(tensors, 4));
  if (number > 0) made.tensor("blk.0.attn_q.weight." + std::to_string(number), "f16", {64, 64});
  return made;
}

MemoryFiles split_files(std::uint32_t tensors = 4) {
  MemoryFiles files;
  for (const std::uint16_t number : {std::uint16_t{0}, std::uint16_t{1}, std::uint16_t{2}}) {
    files.add("/m/big-0000" + std::to_string(number + 1) + "-of-00003.gguf",
              part(number, 3, tensors).file());
  }
  return files;
}

TEST(ModelGguf, AFirstPartLeadsToTheOthers) {
  const MemoryFiles files = split_files();
  for (const char* asked : {"/m/big-00001-of-00003.gguf", "/m"}) {
    const ModelSpec model = gathered(files, asked);
    EXPECT_EQ(files_of(model),
              "big-00001-of-00003.gguf ok, big-00002-of-00003.gguf ok, big-00003-of-00003.gguf ok");
    EXPECT_EQ(model.tensors.size(), 4U);
    EXPECT_EQ(model.split_problem.english, "");
  }
}

TEST(ModelGguf, PartsThatDoNotBelongTogetherAreNamed) {
  EXPECT_EQ(gathered(split_files(5), "/m/big-00001-of-00003.gguf").split_problem.english,
            "the parts hold 4 tensors, the first tells of 5");
  const ModelSpec later = gathered(split_files(), "/m/big-00002-of-00003.gguf");
  EXPECT_EQ(later.split_problem.english,
            "big-00002-of-00003.gguf is part 2 of 3; the first part must be named");
  EXPECT_EQ(later.split_first, "/m/big-00001-of-00003.gguf");
  MemoryFiles renamed;
  renamed.add("/m/model.gguf", part(0, 3, 4).file());
  EXPECT_EQ(gathered(renamed, "/m/model.gguf").split_problem.english,
            "model.gguf is one of 3 parts, which its name does not say");
  MemoryFiles missing;
  missing.add("/m/big-00001-of-00002.gguf", part(0, 2, 3).file());
  EXPECT_EQ(files_of(gathered(missing, "/m/big-00001-of-00002.gguf")),
            "big-00001-of-00002.gguf ok, big-00002-of-00002.gguf missing");
}

TEST(ModelGguf, AFolderOfSeveralModelsIsNone) {
  MemoryFiles files;
  files.add("/m/a-Q4_K_M.gguf", made_gguf().file()).add("/m/a-Q8_0.gguf", made_gguf().file());
  files.add("/m/mmproj-F16.gguf", made_gguf().file());
  const ModelSpec model = gathered(files, "/m");
  EXPECT_FALSE(model.layers.known());
  EXPECT_EQ(reason_of(model.why_unknown),
            "/m holds several GGUF models: a-Q4_K_M.gguf, a-Q8_0.gguf");
}

TEST(ModelGguf, ATagChoosesInTheCaches) {
  MemoryFiles files;
  const std::string snapshot =
      "/home/u/.cache/huggingface/hub/models--org--Tiny-GGUF/snapshots/abc/";
  files.add(snapshot + "Tiny-Q4_K_M.gguf", made_gguf().file());
  files.add(snapshot + "Tiny-Q8_0.gguf", made_gguf({.layers = 3}).file());
  EXPECT_EQ(files_of(gathered(files, "org/Tiny-GGUF:Q8_0")), "Tiny-Q8_0.gguf ok");
  EXPECT_EQ(files_of(gathered(files, "org/Tiny-GGUF")), "Tiny-Q4_K_M.gguf ok");
  MemoryFiles own;
  own.add("/home/u/.cache/llama.cpp/org_Tiny-GGUF_Tiny-Q8_0.gguf", made_gguf().file());
  EXPECT_EQ(told(gathered(own, "org/Tiny-GGUF:Q8_0").layers), "2");
}

TEST(ModelGguf, ARepositoryHasTheShapeOfItsModel) {
  const MemoryFiles files;
  const ModelSpec model = gathered(files, "bartowski/Qwen2.5-7B-Instruct-GGUF:Q4_K_M");
  EXPECT_EQ(model.from, ModelFrom::Catalogue);
  EXPECT_EQ(told(model.layers), "28");
  EXPECT_EQ(model.same_shape_as, "Qwen/Qwen2.5-7B-Instruct");
  EXPECT_EQ(told(model.weight_format), "gguf");
  EXPECT_EQ(quant_of(model), "gguf:Q4_K_M 4");
  const double gib = in_gib(model.checkpoint_bytes.value());
  EXPECT_GT(gib, 4.1);
  EXPECT_LT(gib, 4.6);
  EXPECT_FALSE(gathered(files, "someone/Unheard-GGUF:Q4_K_M").layers.known());
}

TEST(ModelGguf, KeysOfOtherKindsOfModels) {
  const auto model_of_keys = [](const GgufMaker& made) {
    const auto header = parse_gguf_header(made.header(), made.length());
    ModelSpec model;
    if (header) read_gguf_keys(model, *header);
    return model;
  };
  const ModelSpec moe = model_of_keys(made_gguf({.architecture = "qwen3moe"})
                                          .u32("qwen3moe.expert_count", 128)
                                          .u32("qwen3moe.expert_used_count", 8)
                                          .u32("qwen3moe.expert_feed_forward_length", 768));
  EXPECT_EQ(experts_of(moe), "128/8x768+0 0");
  const ModelSpec windows = model_of_keys(made_gguf({.architecture = "gemma3", .layers = 7})
                                              .u32("gemma3.attention.sliding_window", 1024));
  EXPECT_EQ(layers_of(windows), "5 sliding_attention, 1 full_attention, 1 sliding_attention");
  const ModelSpec latent =
      model_of_keys(made_gguf({.architecture = "deepseek2", .heads = 16, .kv_heads = 1})
                        .u32("deepseek2.attention.kv_lora_rank", 512)
                        .u32("deepseek2.attention.key_length_mla", 192)
                        .u32("deepseek2.attention.value_length_mla", 128)
                        .u32("deepseek2.rope.dimension_count", 64));
  EXPECT_TRUE(latent.is_mla());
  EXPECT_EQ(
      told(latent.qk_nope_dim) + "+" + told(latent.qk_rope_dim) + " " + told(latent.v_head_dim),
      "128+64 128");
  const ModelSpec hybrid = model_of_keys(made_gguf({.architecture = "qwen3next", .layers = 8})
                                             .u32("qwen3next.full_attention_interval", 4)
                                             .u32("qwen3next.ssm.group_count", 16)
                                             .u32("qwen3next.ssm.state_size", 128)
                                             .u32("qwen3next.ssm.time_step_rank", 32)
                                             .u32("qwen3next.ssm.inner_size", 4096)
                                             .u32("qwen3next.ssm.conv_kernel", 4));
  EXPECT_TRUE(hybrid.is_linear_hybrid());
  EXPECT_EQ(layers_of(hybrid),
            "3 linear_attention, 1 full_attention, 3 linear_attention, 1 full_attention");
  EXPECT_FALSE(model_of_keys(made_gguf({.layers = 0})).layers.known());
  EXPECT_FALSE(model_of_keys(made_gguf({.layers = 513})).layers.known());
}

TEST(ModelKinds, AnAdapterIsNoModel) {
  MemoryFiles files;
  files.add("/lora/adapter_config.json",
            R"({"peft_type": "LORA", "base_model_name_or_path": "Qwen/Qwen2.5-7B-Instruct"})");
  files.add("/lora/adapter_model.safetensors", "");
  const ModelSpec model = gathered(files, "/lora");
  EXPECT_EQ(told(model.adapter_kind), "LORA");
  EXPECT_EQ(told(model.adapter_base), "Qwen/Qwen2.5-7B-Instruct");
  // Training may leave its adapter's config beside merged weights.
  files.add("/lora/config.json", "{}").add("/lora/model.safetensors", safetensors_file({}));
  EXPECT_FALSE(gathered(files, "/lora").adapter_kind.known());
}

TEST(ModelKinds, APipelineNamesItsClass) {
  MemoryFiles files;
  files.add("/sd/model_index.json", R"({"_class_name": "StableDiffusionXLPipeline"})");
  const ModelSpec model = gathered(files, "/sd");
  EXPECT_EQ(told(model.pipeline_class), "StableDiffusionXLPipeline");
  EXPECT_EQ(told(model.generates), "no");
}

TEST(ModelKinds, AFolderWithoutWeightsSaysSo) {
  MemoryFiles files;
  files.add("/m/config.json", "{}");
  EXPECT_EQ(reason_of(gathered(files, "/m").weight_format.why_unknown()),
            "the folder has no weight files");
}

}  // namespace
}  // namespace sx
