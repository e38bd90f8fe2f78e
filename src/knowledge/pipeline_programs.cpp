// Rows in the order of the table: servers first.
#include "knowledge/pipeline_programs.h"

#include <vector>

#include "knowledge/cells.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

std::vector<PipelineProgram> read_programs() {
  const Table table(table_bytes("data/pipeline_programs.tsv"));
  const RowReader<7> reader(
      table, {"name", "shown", "one_gpu", "several_gpus", "port", "words", "words_zh"});
  std::vector<PipelineProgram> all;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto [name, shown, one_gpu, several_gpus, port, words, words_zh] = reader.row(row);
    all.push_back({name, shown, one_gpu, several_gpus, port, words, words_zh});
  }
  return all;
}

}  // namespace

std::span<const PipelineProgram> pipeline_programs() {
  static const std::vector<PipelineProgram> all = read_programs();
  return all;
}

}  // namespace sx
