// The longest context as the engine derives it, windows, kinds of layers.
#include <gtest/gtest.h>

#include "gather/model_parts.h"
#include "unit/gather/model_made.h"

namespace sx {
namespace {

TEST(ModelContext, RopeStretchesTheLengthAsTheEngineDoes) {
  const struct {
    std::string fields;
    std::string context;
  } rows[] = {
      {R"("max_position_embeddings": 32768)", "32768 - 32768 window 0"},
      {R"("max_position_embeddings": 32768, "rope_scaling": null)", "32768 - 32768 window 0"},
      {R"("max_position_embeddings": 32768, "rope_scaling": {"type": "linear", "factor": 2})",
       "32768 linear 65536 window 0"},
      {R"("max_position_embeddings": 32768, "rope_scaling": {"rope_type": "dynamic", "factor": 2.5})",
       "32768 dynamic 81920 window 0"},
      {R"("max_position_embeddings": 32768, "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768})",
       "32768 yarn 131072 window 0"},
      {R"("max_position_embeddings": 131072, "rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768})",
       "131072 yarn 131072 window 0"},
      {R"("max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8.0})",
       "131072 llama3 131072 window 0"},
      {R"("max_position_embeddings": 131072, "rope_scaling": {"type": "longrope", "factor": 32})",
       "131072 longrope 131072 window 0"},
      {R"("max_position_embeddings": 131072, "rope_scaling": {"type": "su"})",
       "131072 su 131072 window 0"},
      {R"("max_position_embeddings": 128000, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]})",
       "128000 mrope 128000 window 0"},
      {R"("max_position_embeddings": 40960, "rope_parameters": {"rope_type": "default", "rope_theta": 1000000})",
       "40960 default 40960 window 0"},
      {R"("max_position_embeddings": 40960, "rope_parameters": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 32768})",
       "40960 yarn 131072 window 0"},
      {R"("max_position_embeddings": 8192, "rope_parameters": {"sliding_attention": {"rope_type": "default"}, "full_attention": {"rope_type": "linear", "factor": 4}})",
       "8192 linear 32768 window 0"},
      {R"("max_position_embeddings": 32768, "seq_length": 8192)", "8192 - 8192 window 0"},
      {R"("max_position_embeddings": 8192, "model_max_length": 131072)",
       "131072 - 131072 window 0"},
      {R"("max_position_embeddings": 8192, "model_max_length": 1000000000000000019884624838656)",
       "8192 - 8192 window 0"},
      {R"("max_position_embeddings": 8192, "rope_scaling": {"type": "linear", "factor": -2})",
       "8192 linear 8192 window 0"},
      {R"("max_position_embeddings": 8192, "rope_scaling": {"type": "linear", "factor": 1e300})",
       "8192 linear ? window 0"},
      {R"("max_position_embeddings": 8192, "rope_scaling": [2])", "8192 ? 8192 window 0"},
      {R"("max_position_embeddings": -1)", "? - ? window 0"},
      {R"("hidden_size": 8)", "? - ? window 0"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(context_of(model_of("{" + row.fields + "}")), row.context) << row.fields;
}

TEST(ModelContext, WindowsThatAreSwitchedOff) {
  const auto window = [](const std::string& fields) {
    return told(model_of("{" + fields + "}").sliding_window);
  };
  EXPECT_EQ(window(R"("sliding_window": 4096)"), "4096");
  EXPECT_EQ(window(R"("sliding_window": null)"), "0");
  EXPECT_EQ(window(R"("sliding_window": 4096, "use_sliding_window": false)"), "0");
  EXPECT_EQ(window(R"("sliding_window": 4096, "use_sliding_window": true)"), "4096");
  EXPECT_EQ(window(R"("model_type": "qwen2", "sliding_window": 4096)"),
            "0");  // the class's own default
  EXPECT_EQ(window(R"("sliding_window": [512, 512])"), "512");
  EXPECT_EQ(window(R"("sliding_window": "wide")"), "?");
}

TEST(ModelContext, KindsOfLayers) {
  const auto layers = [](const std::string& fields) {
    return layers_of(model_of("{" + fields + "}"));
  };
  EXPECT_EQ(layers(R"("num_hidden_layers": 4)"), "");
  EXPECT_EQ(layers(R"("model_type": "gemma2", "num_hidden_layers": 4, "sliding_window": 4096)"),
            "1 sliding_attention, 1 full_attention, 1 sliding_attention, 1 full_attention");
  EXPECT_EQ(layers(R"("model_type": "cohere2", "num_hidden_layers": 5, "sliding_window": 4096)"),
            "3 sliding_attention, 1 full_attention, 1 sliding_attention");
  EXPECT_EQ(
      layers(
          R"("model_type": "llama4_text", "num_hidden_layers": 4, "attention_chunk_size": 8192, "no_rope_layers": [1, 1, 1, 0])"),
      "3 chunked_attention, 1 full_attention");
  EXPECT_EQ(layers(R"("hybrid_override_pattern": "MM-*E")"),
            "2 mamba, 1 mlp, 1 full_attention, 1 moe");
  EXPECT_EQ(
      layers(R"("num_hidden_layers": 10000000, "model_type": "gemma2", "sliding_window": 4096)"),
      "");
}

TEST(ModelContext, PatternsOfTheCatalogue) {
  ModelSpec m;
  m.layer_types =
      layer_types_of("linear_attentionx6+full_attentionx2;unit=linear/linear/linear/full", 8);
  EXPECT_EQ(layers_of(m),
            "3 linear_attention, 1 full_attention, 3 linear_attention, 1 full_attention");
  m.layer_types = layer_types_of("5 sliding : 1 full (every 6th full)", 7);
  EXPECT_EQ(layers_of(m), "5 sliding_attention, 1 full_attention, 1 sliding_attention");
  m.layer_types = layer_types_of("alternating: even index sliding / odd full", 3);
  EXPECT_EQ(layers_of(m), "1 sliding_attention, 1 full_attention, 1 sliding_attention");
  EXPECT_TRUE(layer_types_of("a pattern of next year", 8).empty());
}

}  // namespace
}  // namespace sx
