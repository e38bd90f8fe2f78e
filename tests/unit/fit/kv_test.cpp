// Bytes of cache, bytes of state, and pools.
#include "fit/kv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sx {
namespace {

Fact<int> of(int value) { return {value, Origin::Config}; }

ModelSpec llama() {
  ModelSpec m;
  m.model_type = {"llama", Origin::Config};
  m.layers = of(32);
  m.hidden_size = of(4096);
  m.heads = of(32);
  m.kv_heads = of(8);
  m.head_dim = of(128);
  return m;
}

ModelSpec gemma3() {
  ModelSpec m = llama();
  m.layers = of(62);
  m.sliding_window = {Tokens{1024}, Origin::Config};
  m.layer_pattern = {"5 sliding : 1 full (every 6th full)", Origin::Config};
  return m;
}

ModelSpec hybrid() {
  ModelSpec m = llama();
  m.layers = of(40);
  m.hidden_size = of(2048);
  m.heads = of(16);
  m.kv_heads = of(2);
  m.head_dim = of(256);
  m.linear_key_heads = of(16);
  m.linear_value_heads = of(32);
  m.linear_key_dim = of(128);
  m.linear_value_dim = of(128);
  m.linear_conv = of(4);
  m.full_interval = of(4);
  return m;
}

PoolAsk ask(int layers, Bytes room, Tokens length) {
  PoolAsk question;
  question.layers.resize(static_cast<std::size_t>(layers));
  std::iota(question.layers.begin(), question.layers.end(), 0);
  question.room = room;
  question.length = length;
  return question;
}

TEST(KvCell, HeadsAreSharedOutButAtLeastOneStays) {
  const ModelSpec m = llama();
  EXPECT_EQ(kv_bytes_per_token_and_layer(m, 1, 2), 2 * 8 * 128 * 2);
  EXPECT_EQ(kv_bytes_per_token_and_layer(m, 4, 2), 2 * 2 * 128 * 2);
  EXPECT_EQ(kv_bytes_per_token_and_layer(m, 8, 2), kv_bytes_per_token_and_layer(m, 16, 2));
  EXPECT_EQ(kv_bytes_per_token_and_layer(m, 1, 1), 2 * 8 * 128);
  EXPECT_EQ(kv_bytes_per_token_and_layer(ModelSpec{}, 1, 2), 0);
}

TEST(KvCell, ALatentIsWholeOnEveryRank) {
  ModelSpec m = llama();
  m.kv_lora = of(512);
  m.qk_rope_dim = of(64);
  EXPECT_EQ(kv_bytes_per_token_and_layer(m, 1, 2), 1152);
  EXPECT_EQ(kv_bytes_per_token_and_layer(m, 8, 2), 1152);
  m.model_type = {"deepseek_v32", Origin::Config};
  EXPECT_EQ(kv_bytes_per_token_and_layer(m, 8, 2), 1152 + 132);
  EXPECT_EQ(kv_bytes_per_token_and_layer(m, 8, 1), 656 + 132);
}

TEST(KvLayers, PatternsInAllTheirWords) {
  EXPECT_EQ(layer_kinds(llama()), std::vector<LayerKind>(32, LayerKind::Full));
  const auto sliding = layer_kinds(gemma3());
  EXPECT_EQ(std::ranges::count(sliding, LayerKind::Full), 10);
  EXPECT_EQ(sliding[5], LayerKind::Full);
  const auto linear = layer_kinds(hybrid());
  EXPECT_EQ(std::ranges::count(linear, LayerKind::Linear), 30);
  ModelSpec m = hybrid();
  m.full_interval = {};
  m.layer_pattern = {"linear_attentionx30+full_attentionx10;unit=linear/linear/linear/full",
                     Origin::Config};
  EXPECT_EQ(layer_kinds(m), linear);
  m = llama();
  m.layer_pattern = {"alternating: even index sliding / odd full", Origin::Config};
  EXPECT_EQ(layer_kinds(m)[0], LayerKind::Sliding);
  EXPECT_EQ(layer_kinds(m)[1], LayerKind::Full);
  m.layer_pattern = {"something else", Origin::Config};
  EXPECT_EQ(layer_kinds(m)[0], LayerKind::Full);
  m.layer_types.assign(32, "chunked_attention");
  EXPECT_EQ(layer_kinds(m)[0], LayerKind::Chunked);
}

TEST(KvPool, EqualLayersAreOneGroup) {
  const Pool p = pool(llama(), ask(32, gib(10), Tokens{8192}));
  EXPECT_EQ(p.bytes_per_token, 131'072);
  EXPECT_EQ(p.tokens.count(), gib(10).count() / 131'072);
  EXPECT_DOUBLE_EQ(p.requests, 10);
  EXPECT_EQ(p.one_request, gib(1));
  EXPECT_EQ(p.request_tokens, Tokens{8192});
  EXPECT_TRUE(p.fits);
}

TEST(KvPool, ABlockKeptFreeIsMissedByTheLongestRequest) {
  PoolAsk question = ask(32, gib(1), Tokens{8192});
  EXPECT_TRUE(pool(llama(), question).fits);
  EXPECT_EQ(longest_request(llama(), question, Tokens{100'000}), Tokens{8192});
  question.null_blocks = 1;
  EXPECT_FALSE(pool(llama(), question).fits);
  EXPECT_EQ(pool(llama(), question).request_tokens, Tokens{8192 + 16});
  EXPECT_EQ(longest_request(llama(), question, Tokens{100'000}), Tokens{8192 - 16});
  EXPECT_EQ(longest_request(llama(), question, Tokens{1000}), Tokens{1000});
}

TEST(KvPool, ContextRanksShareTokens) {
  PoolAsk question = ask(32, gib(10), Tokens{8192});
  question.decode_context = 2;
  EXPECT_EQ(pool(llama(), question).tokens.count(), 2 * gib(10).count() / 131'072);
  EXPECT_DOUBLE_EQ(pool(llama(), question).requests, 20);
}

TEST(KvPool, WindowsTakeTheirWindowAndWhatIsInFlight) {
  // 52 sliding and 10 full layers: seven groups of ten.
  PoolAsk question = ask(62, gib(20), Tokens{131'072});
  question.batched_tokens = Tokens{8192};
  const Pool p = pool(gemma3(), question);
  const double block_bytes = 10.0 * 16 * 4096;
  const double need = 131'072.0 / 16 + 6 * ((1023.0 + 8192) / 16 + 1);
  EXPECT_NEAR(p.requests, static_cast<double>(gib(20).count()) / block_bytes / need, 0.01);
  EXPECT_NEAR(static_cast<double>(p.tokens.count()), p.requests * 131'072, 1);
  question.merged_count = false;
  EXPECT_EQ(pool(gemma3(), question).tokens.count(),
            static_cast<std::int64_t>(gib(20).count() / block_bytes) / 7 * 16);
  question.grouped = false;
  EXPECT_EQ(pool(gemma3(), question).bytes_per_token, 62 * 4096);
}

TEST(KvPool, HybridsPinStateBlocks) {
  // Qwen3.6-35B-A3B with an FP8 cache: a state of 2 146 304 bytes makes blocks of 2096 tokens;
  // 131072 tokens take 63 of them and three groups of states two each.
  EXPECT_EQ(linear_state_bytes(hybrid(), 1), Bytes{2'146'304});
  PoolAsk question = ask(40, gib(6), Tokens{131'072});
  question.element = 1;
  const Pool p = pool(hybrid(), question);
  const double block_bytes = 10 * 2096.0 * 1024;
  EXPECT_NEAR(static_cast<double>(p.one_request.count()), 69 * block_bytes, 1);
  EXPECT_NEAR(static_cast<double>(p.one_state.count()), 6 * block_bytes, 1);
  EXPECT_NEAR(p.requests, std::floor(static_cast<double>(gib(6).count()) / block_bytes) / 69, 1e-9);
  question.state_checkpoints = false;
  EXPECT_NEAR(static_cast<double>(pool(hybrid(), question).one_request.count()), 66 * block_bytes,
              1);
  question.draft_tokens = 2;
  EXPECT_GT(pool(hybrid(), question).one_request.count(),
            static_cast<std::int64_t>(69 * block_bytes));
}

TEST(KvPool, EmptyRoomsAndEmptyStages) {
  EXPECT_EQ(pool(llama(), ask(32, Bytes{0}, Tokens{100})).tokens, Tokens{0});
  EXPECT_EQ(pool(llama(), ask(32, Bytes{-5}, Tokens{100})).tokens, Tokens{0});
  EXPECT_EQ(pool(llama(), ask(0, gib(1), Tokens{100})).tokens, Tokens{0});
  EXPECT_EQ(longest_request(llama(), ask(0, gib(1), Tokens{100}), Tokens{77}), Tokens{77});
  EXPECT_EQ(longest_request(llama(), ask(32, Bytes{0}, Tokens{100}), Tokens{77}), Tokens{0});
}

}  // namespace
}  // namespace sx
