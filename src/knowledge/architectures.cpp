// Model classes of vLLM and what each can do.
#include "knowledge/architectures.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "knowledge/cells.h"
#include "knowledge/flags.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

constexpr std::array<std::string_view, 15> kColumns{
    "name",   "category",     "pipeline",      "lora",    "multimodal",
    "hybrid", "encoder_data", "eagle3_target", "eplb",    "expert_limit",
    "mla",    "kv_head_rule", "first_seen",    "removed", "source"};

ArchitectureRow architecture_of(const RowReader<kColumns.size()>::Cells& cells) {
  const auto* next = cells.begin();
  const auto cell = [&] {
    return *next++;
  };  // in the order of kColumns, as members are set in order
  return {.name = cell(),
          .category = cell(),
          .pipeline = yes_or_no_cell(cell()),
          .lora = yes_or_no_cell(cell()),
          .multimodal = yes_or_no_cell(cell()),
          .hybrid = yes_or_no_cell(cell()),
          .encoder_data = yes_or_no_cell(cell()),
          .eagle3_target = yes_or_no_cell(cell()),
          .eplb = yes_or_no_cell(cell()),
          .expert_limit = yes_or_no_cell(cell()),
          .mla = yes_or_no_cell(cell()),
          .kv_head_rule = known_cell(cell()),
          .first_seen = version_cell(cell()),
          .removed = version_cell(cell()),
          .source = cell()};
}

const Table& architectures() {
  static const Table table(table_bytes("data/engines/vllm/architectures.tsv"));
  return table;
}

// Where each class stands; the name is the first cell, and the first row of a name counts.
const std::unordered_map<std::string_view, std::size_t>& rows_by_name() {
  static const auto rows = [] {
    std::unordered_map<std::string_view, std::size_t> by_name;
    for (std::size_t row = 0; row < architectures().rows(); ++row) {
      const std::string_view line = architectures().line(row);
      by_name.emplace(line.substr(0, line.find('\t')), row);
    }
    return by_name;
  }();
  return rows;
}

}  // namespace

std::vector<std::string_view> architecture_names() {
  std::vector<std::string_view> names;
  for (std::size_t row = 0; row < architectures().rows(); ++row)
    names.push_back(architectures().cell(row, "name"));
  std::ranges::sort(names);
  return names;
}

// One class is asked for, so only its row is read; and once, as who works on a model asks again and
// again.
std::optional<ArchitectureRow> find_architecture(std::string_view name) {
  thread_local std::optional<ArchitectureRow> newest;
  if (newest && newest->name == name) return newest;
  static const RowReader reader(architectures(), kColumns);
  const auto found = name.empty() ? rows_by_name().end() : rows_by_name().find(name);
  if (found == rows_by_name().end()) return {};
  newest = architecture_of(reader.row(found->second));
  return newest;
}

std::optional<bool> architecture_in(const ArchitectureRow& row, const Version& version) {
  const auto* vllm = engine_flags("vllm");
  if (vllm == nullptr) return {};
  switch (standing_of(row.first_seen, row.removed, {}, vllm->read, version)) {
    case Standing::Known:
      return true;
    case Standing::NotYet:
    case Standing::Removed:
      return false;
    case Standing::Possible:
    case Standing::NotRead:
      return {};
  }
  return {};
}

}  // namespace sx
