// From facts to sizes: what is said without sense is nothing that may be left out.
#include "fit/shape.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace sx {
namespace {

constexpr Text kWhy{"it cannot be right", "不可能正确"};

Fact<int> number(int value) { return {value, Origin::Config}; }
Fact<int> senseless() { return Fact<int>::unknown({kWhy}); }

ModelSpec dense() {
  ModelSpec model;
  model.layers = number(32);
  model.hidden_size = number(4096);
  model.heads = number(32);
  model.kv_heads = number(8);
  model.head_dim = number(128);
  model.intermediate_size = number(14336);
  model.vocab_size = number(128256);
  return model;
}

ModelSpec with_experts() {
  ModelSpec model = dense();
  model.experts = number(128);
  model.experts_per_token = number(8);
  model.expert_width = number(768);
  return model;
}

ModelSpec latent() {
  ModelSpec model = dense();
  model.kv_lora = number(512);
  model.q_lora = number(1536);
  model.qk_nope_dim = model.v_head_dim = number(128);
  model.qk_rope_dim = number(64);
  return model;
}

ModelSpec hybrid() {
  ModelSpec model = dense();
  model.linear_key_heads = number(16);
  model.linear_value_heads = number(32);
  model.linear_key_dim = model.linear_value_dim = number(128);
  return model;
}

using Change = std::function<void(ModelSpec&)>;

TEST(Shape, WhatNobodySaidIsNotThere) {
  for (const ModelSpec& model : {dense(), with_experts(), latent(), hybrid()})
    EXPECT_TRUE(shape_of(model));
  EXPECT_FALSE(shape_of(dense())->is_mla());
}

// Experts of which nobody knows how many or how wide they are would weigh nothing, and so would
// latent and linear attention.
TEST(Shape, WhatWasSaidWithoutSenseMakesNoShape) {
  const std::vector<std::pair<ModelSpec, std::vector<Change>>> all{
      {dense(),
       {[](ModelSpec& m) { m.experts = senseless(); },
        [](ModelSpec& m) { m.kv_lora = senseless(); },
        [](ModelSpec& m) { m.linear_value_heads = senseless(); }}},
      {with_experts(),
       {[](ModelSpec& m) { m.expert_width = senseless(); },
        [](ModelSpec& m) { m.expert_width = number(0); }}},
      {latent(),
       {[](ModelSpec& m) { m.qk_nope_dim = senseless(); },
        [](ModelSpec& m) { m.qk_rope_dim = senseless(); },
        [](ModelSpec& m) { m.v_head_dim = senseless(); },
        [](ModelSpec& m) { m.v_head_dim = number(0); },
        [](ModelSpec& m) { m.q_lora = senseless(); }}},
      {hybrid(),
       {[](ModelSpec& m) { m.linear_key_heads = senseless(); },
        [](ModelSpec& m) { m.linear_key_dim = number(0); },
        [](ModelSpec& m) { m.linear_value_dim = senseless(); }}}};
  for (std::size_t kind = 0; kind < all.size(); ++kind) {
    for (std::size_t i = 0; i < all[kind].second.size(); ++i) {
      ModelSpec model = all[kind].first;
      all[kind].second[i](model);
      EXPECT_FALSE(shape_of(model)) << kind << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace sx
