// A few dozen rows: each question walks over them.
#include "knowledge/passed_variables.h"

#include <algorithm>
#include <vector>

#include "knowledge/cells.h"

namespace sx {
namespace {

struct Row {
  std::string_view name, reader;
  bool front = false;  // every name that begins so
};

std::string_view word_of(VariableReader reader) {
  switch (reader) {
    case VariableReader::Program:
      return "program";
    case VariableReader::Network:
      return "network";
    case VariableReader::Engine:
      return "engine";
    case VariableReader::ContainerClient:
      return "container-client";
  }
  return {};
}

std::vector<Row> read_rows() {
  const Table table(table_bytes("data/passed_variables.tsv"));
  std::vector<Row> rows;
  for (std::size_t i = 0; i < table.rows(); ++i)
    rows.push_back({.name = table.cell(i, "variable"),
                    .reader = table.cell(i, "reader"),
                    .front = table.cell(i, "match") == "front"});
  return rows;
}

}  // namespace

bool reads_variable(VariableReader reader, std::string_view variable) {
  static const std::vector<Row> rows = read_rows();
  return std::ranges::any_of(rows, [&](const Row& row) {
    return row.reader == word_of(reader) &&
           (row.front ? variable.starts_with(row.name) : variable == row.name);
  });
}

}  // namespace sx
