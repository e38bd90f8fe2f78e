// The cache, the worst step and the logits against what llama-server itself printed:
// tests/unit/engines/llama_memory_measured.tsv.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include "base/strings.h"
#include "engines/llamacpp/memory_sizes.h"
#include "unit/engines/vllm_memory_model.h"

namespace sx {
namespace {

struct Sizes {
  std::string name;
  int vocabulary, layers, hidden, heads, kv_heads, head_dim, width, context;
  int experts = 0, used = 0, expert_width = 0;
  int window = 0;
};

const Sizes kShapes[] = {
    {"qwen2-7b-q4_K", 152064, 28, 3584, 28, 4, 128, 18944, 32768},
    {"qwen2-0.5b-f16", 151936, 24, 896, 14, 2, 64, 4864, 32768},
    {"llama-8b-q8_0", 128256, 32, 4096, 32, 8, 128, 14336, 131072},
    {"qwen3-4b-f16", 151936, 36, 2560, 32, 8, 128, 9728, 40960},
    {"qwen3moe-30b-q4_K", 151936, 48, 2048, 32, 4, 128, 6144, 40960, 128, 8, 768},
    {"gemma3-12b-q4_0", 262144, 48, 3840, 16, 8, 256, 15360, 131072, 0, 0, 0, 1024},
};

ModelSpec model_of(const Sizes& sizes) {
  const auto count = [](int number) { return Fact<int>(number, Origin::Header); };
  ModelSpec m;
  m.layers = count(sizes.layers);
  m.hidden_size = count(sizes.hidden);
  m.intermediate_size = count(sizes.width);
  m.heads = count(sizes.heads);
  m.kv_heads = count(sizes.kv_heads);
  m.head_dim = count(sizes.head_dim);
  m.vocab_size = count(sizes.vocabulary);
  m.experts = count(sizes.experts);
  m.experts_per_token = count(sizes.used);
  m.expert_width = count(sizes.expert_width);
  m.max_positions = {Tokens{sizes.context}, Origin::Header};
  if (sizes.window > 0) {
    m.sliding_window = {Tokens{sizes.window}, Origin::Header};
    for (int layer = 0; layer < sizes.layers; ++layer)
      m.layer_types.emplace_back(layer % 6 == 5 ? "full_attention" : "sliding_attention");
  }
  return m;
}

FlagUse switch_named(const char* name) {
  FlagUse use;
  use.name = use.typed = name;
  return use;
}

void read_arguments(ServeSpec& serve, const std::string& text) {
  const auto words = split(text, ' ');
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::string next(i + 1 < words.size() ? words[i + 1] : "");
    const auto number = to_integer(next).value_or(0);
    if (word == "-c") serve.max_model_len = {Tokens{number}, Origin::Flag};
    if (word == "-np") serve.max_num_seqs = {static_cast<int>(number), Origin::Flag};
    if (word == "-ub") serve.physical_batch = {Tokens{number}, Origin::Flag};
    if (word == "-fa") serve.flash_attention = {next, Origin::Flag};
    if (word == "-ctk") serve.kv_dtype = {next, Origin::Flag};
    if (word == "-ctv") serve.value_kv_dtype = {next, Origin::Flag};
    if (word == "-kvu") serve.flags.push_back(switch_named("--kv-unified"));
    if (word == "--swa-full") serve.flags.push_back(switch_named("--swa-full"));
  }
}

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of_file() {
  std::ifstream file(SEXTANT_SOURCE_DIR "/tests/unit/engines/llama_memory_measured.tsv");
  std::vector<Row> rows;
  std::vector<std::string> header;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string> cells;
    for (const std::string_view cell : split(line, '\t')) cells.emplace_back(cell);
    if (header.empty()) {
      header = cells;
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < header.size() && i < cells.size(); ++i) row[header[i]] = cells[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

double mib_of(double bytes) { return bytes / (1024.0 * 1024); }

class Measured : public testing::Test {
 protected:
  // Of layers with a window, and of the others.
  static double cache_mib(const LlamaCache& cache, bool windows, bool all_grow) {
    double sum = 0;
    for (std::size_t layer = 0; layer < cache.layers.size(); ++layer) {
      const bool windowed = cache.windows && layer % 6 != 5;
      if (windowed == windows) sum += cache.layers[layer];
      EXPECT_EQ(cache.per_token[layer] > 0, all_grow || !windowed);
    }
    return mib_of(sum);
  }
};

TEST_F(Measured, EveryStartIsReproduced) {
  const auto rows = rows_of_file();
  ASSERT_EQ(rows.size(), 28U);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.at("shape") + " " + row.at("args"));
    const auto sizes = std::ranges::find(kShapes, row.at("shape"), &Sizes::name);
    ASSERT_NE(sizes, std::end(kShapes));
    auto launch = test::launch(model_of(*sizes), HostSpec{}, "b11434");
    read_arguments(launch.c.serve, row.at("args"));
    const auto shape = shape_of(*launch.model);
    ASSERT_TRUE(shape);
    const LlamaSettings s = llama_settings(launch.c);
    EXPECT_EQ(s.cells, to_integer(row.at("cells_per_stream")));
    EXPECT_EQ(s.streams, to_integer(row.at("streams")));
    const LlamaCache cache = llama_cache(*launch.model, *shape, s);
    const auto said = [&row](const char* column) { return to_number(row.at(column)).value_or(0); };
    EXPECT_NEAR(cache_mib(cache, false, s.whole_windows), said("kv_mib"), 0.005);
    EXPECT_NEAR(cache_mib(cache, true, s.whole_windows), said("kv_window_mib"), 0.005);
    EXPECT_EQ(cache.window_cells, to_integer(row.at("kv_window_cells")).value_or(0));
    const LlamaStep step = llama_step(*launch.model, *shape, s);
    EXPECT_NEAR(mib_of(static_cast<double>(step.bytes.count())), said("compute_mib"), 0.11);
    EXPECT_NEAR(mib_of(static_cast<double>(llama_output(*shape, s).count())), said("output_mib"),
                0.006);
  }
}

TEST_F(Measured, SlotsOfAnOddNumberAreRoundedUp) {
  auto launch = test::launch(model_of(kShapes[0]), HostSpec{}, "b11434");
  read_arguments(launch.c.serve, "-c 2048 -np 3");
  const LlamaSettings s = llama_settings(launch.c);
  EXPECT_EQ(s.cells, 768);
  EXPECT_EQ(s.context, Tokens{2304});
}

TEST_F(Measured, MoreThanTheTrainingContextIsTakenAndNotUsed) {
  auto launch = test::launch(model_of(kShapes[0]), HostSpec{}, "b11434");
  read_arguments(launch.c.serve, "-c 65536 -np 1");
  const LlamaSettings s = llama_settings(launch.c);
  EXPECT_EQ(s.cells, 65536);
  EXPECT_EQ(s.slot_context, Tokens{32768});
}

}  // namespace
}  // namespace sx
