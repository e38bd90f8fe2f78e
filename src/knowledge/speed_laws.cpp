// Rows of constants fitted to measured kernels, read once when a plan first asks for a speed.
#include "knowledge/speed_laws.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "knowledge/cells.h"

namespace sx {
namespace {

template <class Law>
struct Row {
  std::string_view key, format;  // of ExpertLaw: format and family
  Law law;
};

template <std::size_t N>
double number(const std::array<std::string_view, N>& cells, std::size_t at) {
  return number_cell(cells[at]).value_or(0);
}

const std::vector<Row<GemmLaw>>& gemm_rows() {
  static const std::vector<Row<GemmLaw>> rows = [] {
    const Table table(table_bytes("data/speed/gemm.tsv"));
    const RowReader<7> reader(
        table, {"family", "format", "compute", "memory", "start_us", "exponent", "quantise"});
    std::vector<Row<GemmLaw>> all;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto cells = reader.row(row);
      all.push_back({.key = cells[0],
                     .format = cells[1],
                     .law = {.compute = number(cells, 2),
                             .memory = number(cells, 3),
                             .start_us = number(cells, 4),
                             .exponent = number(cells, 5),
                             .quantise = number(cells, 6)}});
    }
    return all;
  }();
  return rows;
}

const std::vector<Row<AttentionLaw>>& attention_rows() {
  static const std::vector<Row<AttentionLaw>> rows = [] {
    const Table table(table_bytes("data/speed/attention.tsv"));
    const RowReader<15> reader(
        table, {"family", "kv", "start_us", "memory", "exponent", "tile_us", "prefill_start_us",
                "prefill_compute", "prefill_half", "latent_start_us", "latent_memory",
                "latent_compute", "linear_start_us", "linear_memory", "linear_token_us"});
    std::vector<Row<AttentionLaw>> all;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto cells = reader.row(row);
      all.push_back({.key = cells[0],
                     .format = cells[1],
                     .law = {.start_us = number(cells, 2),
                             .memory = number(cells, 3),
                             .exponent = number(cells, 4),
                             .tile_us = number(cells, 5),
                             .prefill_start_us = number(cells, 6),
                             .prefill_compute = number(cells, 7),
                             .prefill_half = number(cells, 8),
                             .latent_start_us = number(cells, 9),
                             .latent_memory = number(cells, 10),
                             .latent_compute = number(cells, 11),
                             .linear_start_us = number(cells, 12),
                             .linear_memory = number(cells, 13),
                             .linear_token_us = number(cells, 14)}});
    }
    return all;
  }();
  return rows;
}

const std::vector<Row<FormatLaw>>& format_rows() {
  static const std::vector<Row<FormatLaw>> rows = [] {
    const Table table(table_bytes("data/speed/formats.tsv"));
    const RowReader<4> reader(table, {"format", "arithmetic", "gemm_memory", "gemm_compute"});
    std::vector<Row<FormatLaw>> all;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto cells = reader.row(row);
      all.push_back({.key = cells[0],
                     .format = {},
                     .law = {.arithmetic = cells[1],
                             .gemm_memory = number(cells, 2),
                             .gemm_compute = number(cells, 3)}});
    }
    return all;
  }();
  return rows;
}

const std::vector<Row<ExpertLaw>>& expert_rows() {
  static const std::vector<Row<ExpertLaw>> rows = [] {
    const Table table(table_bytes("data/speed/experts.tsv"));
    const RowReader<5> reader(table, {"format", "family", "start_us", "stream", "compute"});
    std::vector<Row<ExpertLaw>> all;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto cells = reader.row(row);
      all.push_back({.key = cells[0],
                     .format = cells[1],
                     .law = {.start_us = number(cells, 2),
                             .stream = number(cells, 3),
                             .compute = number(cells, 4)}});
    }
    return all;
  }();
  return rows;
}

template <class Law>
const Law* find_law(const std::vector<Row<Law>>& rows, std::string_view key,
                    std::string_view format) {
  for (const auto& row : rows) {
    if (row.key == key && row.format == format) return &row.law;
  }
  return nullptr;
}

}  // namespace

const GemmLaw* gemm_law(std::string_view family, std::string_view format) {
  return find_law(gemm_rows(), family, format);
}

const AttentionLaw* attention_law(std::string_view family, std::string_view kv) {
  const auto* law = find_law(attention_rows(), family, kv);
  return law != nullptr ? law : find_law(attention_rows(), family, "bf16");
}

const FormatLaw& format_law(std::string_view format) {
  const auto* law = find_law(format_rows(), format, {});
  SX_ASSERT(law != nullptr);
  return *law;
}

const ExpertLaw& expert_law(std::string_view format, std::string_view family) {
  const auto* law = find_law(expert_rows(), format, family);
  if (law == nullptr) law = find_law(expert_rows(), format, {});
  SX_ASSERT(law != nullptr);
  return *law;
}

}  // namespace sx
