// `nvidia-smi --query-gpu=… --format=csv`: by the names of its header, or by what the values can
// only be.
#include <algorithm>

#include "base/strings.h"
#include "read/machine_text_fields.h"
#include "read/machine_text_parts.h"

namespace sx {
namespace {

constexpr std::size_t kMostCsvColumns = 64;
constexpr std::size_t kShortestHeader = 8;  // "x, index"

// "memory.total [MiB]" into name and unit.
std::pair<std::string_view, std::string_view> column_of(std::string_view cell) {
  cell = trimmed(cell);
  const auto bracket = cell.find('[');
  if (bracket == cell.npos) return {cell, {}};
  std::string_view unit = cell.substr(bracket + 1);
  unit = unit.substr(0, unit.find(']'));
  return {trimmed(cell.substr(0, bracket)), unit};
}

// Worth splitting: a row below a header, a line with a card, or one with the word that every useful
// header has.
bool may_be_ours(std::string_view text) {
  for (const std::string_view mark : {"NVIDIA", "Tesla", "GeForce", "Quadro", "GRID", "TITAN"}) {
    if (text.find(mark) != text.npos) return true;
  }
  if (text.empty() || text.front() < 'a' || text.front() > 'z') return false;
  for (const std::string_view mark :
       {"name", "index", "memory", "uuid", "bus_id", "driver", "compute_cap"}) {
    if (text.find(mark) != text.npos) return true;
  }
  return false;
}

std::vector<std::string_view> cells_of(std::string_view text) {
  auto cells = split(text, ',');
  for (auto& cell : cells) cell = trimmed(cell);
  return cells;
}

}  // namespace

bool SmiCsvParser::take_header(const std::vector<std::string_view>& cells) {
  if (cells.size() > kMostCsvColumns) return false;
  bool known = false;
  for (const std::string_view cell : cells) {
    const auto [name, unit] = column_of(cell);
    if (!looks_like_column(name)) return false;
    // A lone "name" or "index" is a word of prose as well.
    known = known || (query_field(name) != SmiField::None &&
                      (cells.size() > 1 || name.find_first_of("._") != name.npos));
  }
  if (!known) return false;
  columns_.clear();
  units_.clear();
  in_rows_ = true;
  for (const std::string_view cell : cells) {
    const auto [name, unit] = column_of(cell);
    columns_.emplace_back(name);
    units_.emplace_back(unit);
  }
  return true;
}

bool SmiCsvParser::take_row(const PastedLine& line, const std::vector<std::string_view>& cells,
                            PastedParts& parts) {
  if (!in_rows_ || cells.size() != columns_.size()) return false;
  PastedGpu gpu;
  gpu.span = line.span;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const SmiField field = query_field(columns_[i]);
    set_field(gpu, field, cells[i], units_[i]);
    if (field == SmiField::Driver && parts.driver.empty() && is_version(cells[i]))
      parts.driver = std::string(cells[i]);
    if (field == SmiField::Index && gpu.index < 0) return false;
    if (field == SmiField::Name && cells[i].empty()) return false;
    const bool size = field == SmiField::MemoryTotal && !gpu.memory;
    if (size && !is_no_value(cells[i])) return false;
  }
  const bool told = !gpu.name.empty() || gpu.memory || gpu.index >= 0 || !gpu.uuid.empty();
  if (!told) return false;
  gpus.push_back(std::move(gpu));
  return true;
}

// Without a header only a line with one card, at most one leading index and one size can be taken
// for what it is.
bool SmiCsvParser::take_bare_row(const PastedLine& line, const std::vector<std::string_view>& cells,
                                 PastedParts& parts) {
  if (cells.size() < 2 || cells.size() > kMostCsvColumns) return false;
  const auto cards = std::ranges::count_if(cells, looks_like_card);
  if (cards != 1) return false;
  PastedGpu gpu;
  gpu.span = line.span;
  int sizes = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view cell = cells[i];
    if (looks_like_card(cell)) set_field(gpu, SmiField::Name, cell, "");
    if (cell.starts_with("GPU-")) set_field(gpu, SmiField::Uuid, cell, "");
    if (is_bus_id(cell)) set_field(gpu, SmiField::BusId, cell, "");
    if (i == 0 && to_integer(cell)) set_field(gpu, SmiField::Index, cell, "");
    if (cell.ends_with(" MiB")) {
      ++sizes;
      if (sizes == 1) set_field(gpu, SmiField::MemoryTotal, cell, "");
    }
  }
  const bool only_number = cells.size() == 3 && sizes == 0 && gpu.index >= 0 &&
                           to_integer(cells.back()).value_or(0) >= 1000;
  if (only_number) set_field(gpu, SmiField::MemoryTotal, cells.back(), "MiB");
  if (sizes > 1) gpu.memory = {};  // total, used or free: the order is not told
  if (!gpu.memory && gpu.index < 0 && gpu.uuid.empty() && gpu.pci.empty()) return false;
  if (!gpu.memory && !bare_)
    parts.could_not_read(line.number, {"a CSV row without its header; --format=csv gives one",
                                       "CSV 行没有表头；--format=csv 会带上表头"});
  bare_ = true;
  gpus.push_back(std::move(gpu));
  return true;
}

void SmiCsvParser::take(const PastedLine& line, PastedParts& parts) {
  if (!in_rows_ && line.text.size() < kShortestHeader) return;
  const std::string_view text = without_marks(line.text);
  const bool comma = text.find(',') != text.npos;
  const bool lone =
      (in_rows_ && columns_.size() == 1) || text.starts_with("memory.") || text.starts_with("gpu_");
  const bool row = comma && (in_rows_ || may_be_ours(text));
  if ((!row && !lone) || gpus.size() >= kMostPastedGpus) {
    in_rows_ = false;  // the table ends with the first line that is no row
    return;
  }
  const auto cells = cells_of(text);
  if (gpus.empty() && take_header(cells)) return;
  if (take_row(line, cells, parts)) return;
  in_rows_ = false;
  if (columns_.empty()) take_bare_row(line, cells, parts);
}

}  // namespace sx
