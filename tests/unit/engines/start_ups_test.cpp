// Start-ups that people published, against what we say before: weights of a rank and the pool of KV
// cache, each within the band that its row states; the pool of a first start within our own.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/strings.h"
#include "engines/sglang/memory.h"
#include "engines/vllm/memory.h"
#include "unit/engines/vllm_memory_model.h"

namespace sx {
namespace {

using Row = std::map<std::string, std::string, std::less<>>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
  return cells;
}

std::vector<Row> rows() {
  std::ifstream file(SEXTANT_SOURCE_DIR "/tests/unit/engines/start_ups.tsv");
  std::vector<Row> all;
  std::vector<std::string> header;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> cells = cells_of(line);
    if (header.empty()) {
      header = cells;
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < header.size() && i < cells.size(); ++i) row[header[i]] = cells[i];
    all.push_back(std::move(row));
  }
  return all;
}

double number(const Row& row, std::string_view name) {
  const auto cell = row.find(name);
  return cell == row.end() || cell->second.empty() ? 0 : std::stod(cell->second);
}

test::Launch launch_of(const Row& row) {
  test::Launch launch = test::launch(row.at("model"), row.at("card"),
                                     static_cast<int>(number(row, "cards")), row.at("version"));
  ServeSpec& serve = launch.c.serve;
  serve.engine = row.at("engine");
  if (const double length = number(row, "max_model_len"); length > 0)
    serve.max_model_len = {Tokens{static_cast<std::int64_t>(length)}, Origin::Flag};
  if (const double part = number(row, "fraction"); part > 0)
    serve.memory_fraction = {part, Origin::Flag};
  if (const double seqs = number(row, "seqs"); seqs > 0)
    serve.max_num_seqs = {static_cast<int>(seqs), Origin::Flag};
  if (const double step = number(row, "step"); step > 0)
    serve.max_batched_tokens = {Tokens{static_cast<std::int64_t>(step)}, Origin::Flag};
  if (row.at("eager") == "yes") serve.enforce_eager = {true, Origin::Flag};
  if (row.at("fp16") == "yes") serve.dtype = {"float16", Origin::Flag};
  if (!row.at("quant").empty()) serve.quantization = {row.at("quant"), Origin::Flag};
  if (row.at("experts") == "yes") serve.expert_parallel = {true, Origin::Flag};
  return launch;
}

void expect_near(const Row& row, std::string_view name, Bytes mine) {
  const double logged = number(row, name);
  if (logged <= 0) return;
  const double off = number(row, std::string(name) + "_off");
  ASSERT_GT(off, 0);
  EXPECT_LE(std::abs(in_gib(mine) / logged - 1) * 100, off)
      << name << ": " << in_gib(mine) << " GiB is not " << logged;
}

// A first start compiles while it measures: it gets less than the best estimate, and not less than
// the band says.
void expect_first_start(const Row& row, const GpuBudget& gpu) {
  const double logged = number(row, "pool");
  EXPECT_GE(logged, in_gib(gpu.room_low));
  EXPECT_LT(logged, in_gib(gpu.room));
}

TEST(StartUps, AreWhatWeSayBefore) {
  const auto all = rows();
  ASSERT_GE(all.size(), 36U);
  for (const Row& row : all) {
    SCOPED_TRACE(row.at("model") + " on " + row.at("card") + ", " + row.at("engine") + " " +
                 row.at("version"));
    const test::Launch launch = launch_of(row);
    Layout layout;
    layout.tensor = static_cast<int>(number(row, "tensor"));
    layout.expert = row.at("experts") == "yes";
    const auto budget = row.at("engine") == "sglang" ? sglang_budget(launch.c, layout)
                                                     : vllm_budget(launch.c, layout);
    ASSERT_TRUE(budget.has_value());
    const GpuBudget& gpu = budget->gpus.front();
    expect_near(row, "weights", gpu.line("weights")->bytes);
    if (row.at("first") == "yes") {
      expect_first_start(row, gpu);
    } else {
      expect_near(row, "pool", gpu.kv_bytes);
    }
  }
}

// Of vLLM's older engine the first rank alone draws tokens, so that it has less room.
TEST(StartUps, TheFirstRankOfV0HasTheLeastRoom) {
  auto launch = test::launch("Qwen/Qwen2.5-14B-Instruct", "NVIDIA GeForce RTX 4090", 2, "0.7.3");
  launch.c.serve.max_model_len = {Tokens{8192}, Origin::Flag};
  Layout layout;
  layout.tensor = 2;
  const auto budget = vllm_budget(launch.c, layout);
  ASSERT_TRUE(budget.has_value());
  ASSERT_EQ(budget->gpus.size(), 2U);
  const GpuBudget &first = budget->gpus.front(), &second = budget->gpus.back();
  EXPECT_GT(first.line("activations")->bytes, second.line("activations")->bytes);
  EXPECT_EQ(first.line("weights")->bytes, second.line("weights")->bytes);
  launch.c.serve.version = parse_version("0.9.2").value();
  const auto newer = vllm_budget(launch.c, layout);
  EXPECT_EQ(newer->gpus.front().line("activations")->bytes,
            newer->gpus.back().line("activations")->bytes);
}

// Cards before 8.0 got V0 from the versions that had both: it drew with much more memory.
TEST(StartUps, CardsThatV1DoesNotRunOnGetV0) {
  const auto peak = [](std::string_view card, std::string_view version) {
    const auto launch = test::launch("Qwen/Qwen2.5-7B-Instruct", card, 1, version);
    return vllm_budget(launch.c, Layout{})->gpus.front().line("activations")->bytes;
  };
  EXPECT_EQ(peak("Tesla V100-SXM2-32GB", "0.8.5"), peak("Tesla V100-SXM2-32GB", "0.7.3"));
  EXPECT_NE(peak("NVIDIA L40", "0.8.5"), peak("NVIDIA L40", "0.7.3"));
  EXPECT_LT(peak("Tesla V100-SXM2-32GB", "0.18.0"), peak("Tesla V100-SXM2-32GB", "0.8.5"));
}

}  // namespace
}  // namespace sx
