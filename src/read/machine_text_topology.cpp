// `nvidia-smi topo -m`, `-mp` and `-p2p`: a header of GPUs, then one row a GPU, wherever they stand
// in a text.
#include <algorithm>

#include "base/strings.h"
#include "read/machine_text_cells.h"
#include "read/machine_text_parts.h"

namespace sx {
namespace {

constexpr int kMostHeaders = 1000;  // a text with more is a log about something else
constexpr int kMostWraps = 8;       // a row of 128 cells on a narrow terminal

// The GPUs of a header; `text` is left at what stands behind them.
std::vector<std::string> header_names(std::string_view& text) {
  std::vector<std::string> names;
  while (names.size() <= kMostPastedGpus) {
    const auto first = text.find_first_not_of(" \t");
    if (first == text.npos) break;
    const std::string_view rest = text.substr(first);
    const std::size_t length = gpu_label_length(rest);
    if (length == 0) break;
    names.emplace_back(rest.substr(0, length));
    text = rest.substr(length);
  }
  return names;
}

bool any_cell(const std::vector<std::vector<std::string>>& rows, bool (*holds)(std::string_view)) {
  return std::ranges::any_of(rows, [holds](const auto& row) {
    return std::ranges::any_of(row, [holds](const std::string& cell) { return holds(cell); });
  });
}

bool is_class(std::string_view word) {
  return !word.empty() && word != "X" && !is_link_status(word);
}

// A matrix is the same from both sides, so what a damaged row lacks can be read from the others'
// columns.
void fill_by_symmetry(std::vector<std::vector<std::string>>& rows) {
  const std::size_t count = rows.size();
  for (std::size_t a = 0; a < count; ++a) {
    rows[a].resize(count);
    rows[a][a] = "X";
  }
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      if (rows[a][b].empty()) rows[a][b] = rows[b][a];
    }
  }
}

std::size_t unknown_cells(const std::vector<std::vector<std::string>>& rows) {
  std::size_t unknown = 0;
  for (const auto& row : rows)
    unknown += static_cast<std::size_t>(std::ranges::count(row, std::string()));
  return unknown;
}

}  // namespace

bool TopologyParser::take_header(const PastedLine& line, std::string_view text) {
  const auto at = find_gpu_label(text);
  if (at == text.npos || headers_ >= kMostHeaders) return false;
  std::string_view rest = text.substr(at);
  const std::vector<std::string> names = header_names(rest);
  rest = trimmed(rest);
  const bool affinity = rest.find("Affinity") != rest.npos;
  const bool columns =
      rest.empty() || affinity || rest.starts_with("NIC") || rest.starts_with("mlx");
  if ((names.size() < 2 && !columns) || names.size() > kMostPastedGpus) return false;
  // A header that a narrow terminal wrapped goes on in the next line.
  const bool goes_on = open_ && matrix_.line + 1 == line.number && row_index_ < 0 &&
                       std::ranges::find(matrix_.names, names.front()) == matrix_.names.end() &&
                       matrix_.names.size() + names.size() <= kMostPastedGpus;
  ++headers_;
  if (!goes_on) matrix_ = {};
  matrix_.line = line.number;
  matrix_.names.insert(matrix_.names.end(), names.begin(), names.end());
  matrix_.nics =
      nic_names(rest.substr(0, std::min({rest.find("CPU"), rest.find("NUMA"), rest.size()})));
  matrix_.has_affinity = matrix_.has_affinity || affinity;
  matrix_.has_numa = matrix_.has_numa || rest.find("NUMA Affinity") != rest.npos;
  matrix_.rows.assign(matrix_.names.size(), {});
  matrix_.cpus.assign(matrix_.names.size(), "");
  matrix_.numas.assign(matrix_.names.size(), "");
  open_ = true;
  return true;
}

bool TopologyParser::take_row(const PastedLine& line, std::string_view text) {
  const auto at = find_gpu_label(text);
  if (at == text.npos) return false;
  const std::size_t length = gpu_label_length(text.substr(at));
  const auto name = std::ranges::find(matrix_.names, text.substr(at, length));
  if (name == matrix_.names.end()) return false;
  const std::string_view cells = text.substr(at + length);
  if (topology_word_length(trimmed(cells)) == 0) return false;
  row_index_ = static_cast<int>(name - matrix_.names.begin());
  row_line_ = line.number;
  row_ = std::string(cells);
  wrapped_ = 0;
  return true;
}

// The row that was collected so far, wrapped lines included.
void TopologyParser::end_row(PastedParts& parts) {
  if (row_index_ < 0) return;
  const auto own = static_cast<std::size_t>(row_index_);
  row_index_ = -1;
  if (!matrix_.rows[own].empty()) return;  // said twice: the first counts
  TopologyRow row = topology_row(row_, own, matrix_.names.size(), matrix_.has_numa);
  if (row.cut_short && !row.cells.empty()) {
    parts.could_not_read(row_line_, {"the row of " + matrix_.names[own] + " lacks cells",
                                     matrix_.names[own] + " 一行缺少单元格"});
  }
  matrix_.rows[own] = std::move(row.cells);
  matrix_.cpus[own] = std::move(row.cpus);
  matrix_.numas[own] = std::move(row.numa);
}

void TopologyParser::take(const PastedLine& line, PastedParts& parts) {
  const std::string_view text = line.text;
  const bool has_label = text.find("GPU") != text.npos;
  if (!open_) {
    if (has_label) take_header(line, text);
    return;
  }
  // The next row, or the next matrix.
  if (has_label && find_gpu_label(text) != text.npos) {
    end_row(parts);
    if (take_row(line, text)) return;
    if (matrix_.line + 1 != line.number) close(parts);
    take_header(line, text);
    return;
  }
  if (row_index_ >= 0 && wrapped_ < kMostWraps && is_rest_of_row(without_marks(text))) {
    row_ += text.starts_with('\t') ? "" : " ";
    row_ += text;
    ++wrapped_;
    return;
  }
  end_row(parts);
  const bool rows_to_come =
      std::ranges::all_of(matrix_.rows, [](const auto& row) { return row.empty(); });
  if (rows_to_come && matrix_.line + 1 == line.number && text.find("Affinity") != text.npos) {
    matrix_.has_affinity = true;
    matrix_.has_numa = matrix_.has_numa || text.find("NUMA Affinity") != text.npos;
    return;
  }
  if (text.find("Legend") != text.npos) close(parts);
}

void TopologyParser::finish(PastedParts& parts) { close(parts); }

void TopologyParser::close(PastedParts& parts) {
  if (!open_) return;
  end_row(parts);
  open_ = false;
  Matrix matrix = std::move(matrix_);
  matrix_ = {};
  const bool any = std::ranges::any_of(matrix.rows, [](const auto& row) { return !row.empty(); });
  if (any) {
    for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
      if (matrix.rows[i].empty())
        parts.could_not_read(matrix.line, {"the row of " + matrix.names[i] + " of this topology",
                                           "该拓扑中 " + matrix.names[i] + " 一行"});
    }
    keep(std::move(matrix), parts);
  } else if (matrix.has_affinity) {
    parts.could_not_read(matrix.line, {"a topology header without rows", "拓扑表头之后没有数据行"});
  }
}

void TopologyParser::keep(Matrix matrix, PastedParts& parts) {
  const bool statuses = any_cell(matrix.rows, is_link_status) ||
                        (!matrix.has_affinity && !any_cell(matrix.rows, is_class));
  fill_by_symmetry(matrix.rows);
  const std::size_t unknown = unknown_cells(matrix.rows);
  if (unknown > 0)
    parts.could_not_read(matrix.line, {std::to_string(unknown) + " cells of the topology",
                                       "拓扑中的 " + std::to_string(unknown) + " 个单元格"});
  auto& kept = statuses ? topology.p2p : topology.classes;
  // A second one is of another run or another machine; it counts only when it is whole and the
  // first is not.
  const bool better =
      kept.empty() || (kept.size() == matrix.rows.size() && unknown < unknown_cells(kept));
  const bool same_machine = topology.names.empty() || topology.names.size() == matrix.names.size();
  if (!better || !same_machine) {
    parts.could_not_read(matrix.line, {"another topology, not used", "另一份拓扑，未采用"});
    return;
  }
  kept = std::move(matrix.rows);
  topology.names = std::move(matrix.names);
  if (statuses) return;
  topology.nics = std::move(matrix.nics);
  topology.cpu_affinity = std::move(matrix.cpus);
  topology.numa_affinity = std::move(matrix.numas);
}

}  // namespace sx
