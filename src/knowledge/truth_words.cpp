// Readers that do not compare exactly pass over case and blanks.
#include "knowledge/truth_words.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "knowledge/cells.h"
#include "knowledge/variables.h"

namespace sx {
namespace {

struct Reader {
  std::string_view name;
  std::vector<std::string_view> yes, no;
  bool exact = false;
};

std::vector<Reader> read_readers() {
  const Table table(table_bytes("data/truth_words.tsv"));
  std::vector<Reader> all;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    all.push_back({.name = table.cell(row, "reader"),
                   .yes = split(table.cell(row, "yes"), ' '),
                   .no = split(table.cell(row, "no"), ' '),
                   .exact = table.cell(row, "exact") == "yes"});
  }
  return all;
}

const Reader* find_reader(std::string_view name) {
  static const std::vector<Reader> all = read_readers();
  const auto found = std::ranges::find(all, name, &Reader::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::optional<bool> truth_as(std::string_view reader, std::string_view text) {
  const Reader* row = find_reader(reader);
  if (row == nullptr) return {};
  const std::string word = row->exact ? std::string(text) : lower(trimmed(text));
  if (std::ranges::find(row->yes, word) != row->yes.end()) return true;
  if (std::ranges::find(row->no, word) != row->no.end()) return false;
  return {};
}

std::optional<bool> variable_truth(std::string_view engine, std::string_view variable,
                                   std::string_view text) {
  const VariableRow* row = find_variable(engine, variable);
  const bool own = row != nullptr && find_reader(row->reads) != nullptr;
  return truth_as(own ? row->reads : engine, text);
}

}  // namespace sx
