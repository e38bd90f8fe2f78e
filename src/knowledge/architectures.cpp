// Model classes of vLLM and what each can do.
#include "knowledge/architectures.h"

#include <unordered_map>

#include "knowledge/cells.h"
#include "knowledge/flags.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

using Architectures = std::unordered_map<std::string_view, ArchitectureRow>;

Architectures read_architectures() {
  const Table table(table_bytes("data/engines/vllm/architectures.tsv"));
  Architectures all;
  all.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cell = [&](std::string_view column) { return table.cell(row, column); };
    all.try_emplace(cell("name"), ArchitectureRow{.name = cell("name"),
                                                  .category = cell("category"),
                                                  .pipeline = yes_or_no_cell(cell("pipeline")),
                                                  .multimodal = yes_or_no_cell(cell("multimodal")),
                                                  .hybrid = yes_or_no_cell(cell("hybrid")),
                                                  .encoder_data = yes_or_no_cell(cell("encoder_data")),
                                                  .expert_limit = yes_or_no_cell(cell("expert_limit")),
                                                  .mla = yes_or_no_cell(cell("mla")),
                                                  .kv_head_rule = known_cell(cell("kv_head_rule")),
                                                  .first_seen = version_cell(cell("first_seen")),
                                                  .removed = version_cell(cell("removed")),
                                                  .source = cell("source")});
  }
  return all;
}

}  // namespace

const ArchitectureRow* find_architecture(std::string_view name) {
  static const Architectures all = read_architectures();
  const auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}

std::optional<bool> architecture_in(const ArchitectureRow& row, const Version& version) {
  const auto* vllm = engine_flags("vllm");
  if (vllm == nullptr) return {};
  switch (standing_of(row.first_seen, row.removed, {}, vllm->read, version)) {
    case Standing::Known: return true;
    case Standing::NotYet:
    case Standing::Removed: return false;
    case Standing::Possible:
    case Standing::NotRead: return {};
  }
  return {};
}

}  // namespace sx
