// The budget against an independent implementation of the same formulas:
// tests/unit/engines/reference_budgets.tsv.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "base/strings.h"
#include "engines/vllm/memory.h"
#include "unit/engines/vllm_memory_model.h"

namespace sx {
namespace {

// A row's cells by the names of the header.
class Row {
 public:
  Row(std::vector<std::string> header, std::vector<std::string> cells)
      : header_(std::move(header)), cells_(std::move(cells)) {}
  std::string text(std::string_view name) const {
    for (std::size_t i = 0; i < header_.size() && i < cells_.size(); ++i) {
      if (header_[i] == name) return cells_[i];
    }
    return {};
  }
  std::int64_t number(std::string_view name) const { return to_integer(text(name)).value_or(0); }

 private:
  std::vector<std::string> header_, cells_;
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (const std::string_view cell : split(line, '\t')) cells.emplace_back(cell);
  return cells;
}

std::vector<Row> reference_rows() {
  std::ifstream file(SEXTANT_SOURCE_DIR "/tests/unit/engines/reference_budgets.tsv");
  std::vector<Row> rows;
  std::vector<std::string> header;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (header.empty()) {
      header = cells_of(line);
    } else {
      rows.emplace_back(header, cells_of(line));
    }
  }
  return rows;
}

constexpr std::int64_t kRounding = 64 * 1024;

TEST(VllmBudgetReference, EveryRowIsReproduced) {
  const auto rows = reference_rows();
  ASSERT_GE(rows.size(), 40U);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text("model") + " on " + row.text("card") + " TP" + row.text("tensor") +
                 " PP" + row.text("pipeline") + " " + row.text("version"));
    auto launch = test::launch(row.text("model"), row.text("card"),
                               static_cast<int>(row.number("cards")), row.text("version"));
    if (const auto length = row.number("max_model_len"); length > 0)
      launch.c.serve.max_model_len = {Tokens{length}, Origin::Flag};
    Layout layout;
    layout.tensor = static_cast<int>(row.number("tensor"));
    layout.pipeline = static_cast<int>(row.number("pipeline"));
    const auto budget = vllm_budget(launch.c, layout);
    ASSERT_TRUE(budget.has_value());
    const auto near = [&](std::int64_t mine, std::string_view column, std::int64_t by) {
      EXPECT_LE(std::abs(mine - row.number(column)), by)
          << column << ": " << mine << " is not " << row.text(column);
    };
    near(budget->kv_tokens.count(), "kv_tokens", 16);
    const auto& gpu = budget->gpus[static_cast<std::size_t>(row.number("stage") * layout.tensor)];
    near(gpu.kv_bytes.count(), "kv_cache", kRounding);
    for (const char* line : {"weights", "activations", "graphs", "runtime"})
      near(gpu.line(line)->bytes.count(), line, kRounding);
  }
}

}  // namespace
}  // namespace sx
