// Every model of the catalogue splits over exactly the sizes of
// tests/unit/fit/valid_tensor_sizes.tsv.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "base/strings.h"
#include "fit/splits.h"
#include "gather/gather_model.h"
#include "sys/files.h"

namespace sx {
namespace {

std::set<int> numbers(std::string_view text) {
  std::set<int> all;
  for (const std::string_view part : split(text, ',')) {
    if (const auto number = to_integer(trimmed(part))) all.insert(static_cast<int>(*number));
  }
  return all;
}

std::set<int> sizes_of(const ModelSpec& model, bool whole_experts) {
  SplitAsk ask;
  ask.layout.expert = whole_experts;
  ask.whole_vision_tower = true;
  const auto sizes = tensor_sizes(model, ask, 16);
  return {sizes.begin(), sizes.end()};
}

// The table looked at the experts' blocks alone: the first three layers have a dense MLP of 11264,
// and 11264 / 16 = 704 is five and a half blocks of 128.
constexpr std::string_view kDenseBlocksOverlooked = "stepfun-ai/Step-3.7-Flash-FP8";

TEST(ValidTensorSizes, AreThoseOfTheTable) {
  std::ifstream file(SEXTANT_SOURCE_DIR "/tests/unit/fit/valid_tensor_sizes.tsv");
  const MemoryFiles files;
  Outside outside;
  outside.files = &files;
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#' || line.starts_with("model\t")) continue;
    const auto cells = split(line, '\t');
    ASSERT_GE(cells.size(), 4U) << line;
    Sources sources;
    const ModelSpec model = gather_model(sources, std::string(cells[0]), outside);
    if (model.from == ModelFrom::Nowhere) continue;
    ++rows;
    const std::set<int> plain = numbers(cells[1]);
    std::set<int> whole = plain;
    whole.merge(numbers(cells[2]));
    if (cells[0] == kDenseBlocksOverlooked) whole.erase(16);
    EXPECT_EQ(sizes_of(model, false), plain) << cells[0];
    EXPECT_EQ(sizes_of(model, true), whole) << cells[0] << " with whole experts";
  }
  EXPECT_GE(rows, 190);
}

}  // namespace
}  // namespace sx
