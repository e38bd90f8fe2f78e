// Stages are sums of their layers, however the layers of a kind follow one another.
#include "fit/weight_parts.h"

#include <gtest/gtest.h>

#include "fit/shape.h"

namespace sx {
namespace {

WeightParts parts_of(std::vector<WeightPart> kinds, std::vector<std::size_t> layers) {
  WeightParts parts;
  parts.kinds = std::move(kinds);
  parts.layers = std::move(layers);
  parts.format = "bf16";
  return parts;
}

// One layer after the other, as an engine loads them.
std::vector<Bytes> one_by_one(const WeightParts& parts, const std::vector<int>& stages) {
  std::vector<Bytes> sums;
  std::size_t layer = 0;
  for (const int count : stages) {
    double sum = 0;
    for (int i = 0; i < count && layer < parts.layers.size(); ++i)
      sum += parts.kinds[parts.layers[layer++]].bytes;
    sums.push_back(whole_bytes(sum));
  }
  return sums;
}

void expect_sums(const WeightParts& parts, const std::vector<int>& stages) {
  const auto weights = on_stages(parts, stages);
  const auto sums = one_by_one(parts, stages);
  ASSERT_EQ(weights.size(), sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(weights[i].bytes, sums[i]) << i;
}

TEST(WeightParts, SumRunsAndMixturesOfKinds) {
  const std::vector<WeightPart> whole{{.bytes = 1'812'991'999}, {.bytes = 77}, {.bytes = 0}};
  // Of thirds a product is not the sum: 0.1 ten times is less than 1.
  const std::vector<WeightPart> fractions{{.bytes = 0.1}, {.bytes = 1e9 / 3}, {.bytes = 1e15}};
  for (const auto& kinds : {whole, fractions}) {
    for (const auto& layers :
         {std::vector<std::size_t>(94, 0), std::vector<std::size_t>{0, 0, 1, 1, 1, 0, 2, 2, 1},
          std::vector<std::size_t>{0, 1, 0, 1, 0, 1, 0, 1}}) {
      const WeightParts parts = parts_of(kinds, layers);
      const int count = static_cast<int>(layers.size());
      expect_sums(parts, {count});
      expect_sums(parts, {count / 2, count - count / 2});
      expect_sums(parts, {1, 2, count - 3});
      expect_sums(parts, {count + 5});  // more than the model has
      expect_sums(parts, {0, count});
    }
  }
}

// Ten times 0.8: the sum ends below 8, and the product is 8.
TEST(WeightParts, SumFractionsOneByOne) {
  const WeightParts parts = parts_of({{.bytes = 0.1 * 8}}, std::vector<std::size_t>(10, 0));
  double sum = 0;
  for (int i = 0; i < 10; ++i) sum += 0.1 * 8;
  ASSERT_NE(sum, 10 * (0.1 * 8));
  EXPECT_EQ(on_stages(parts, {10}).front().bytes, whole_bytes(sum));
}

}  // namespace
}  // namespace sx
