// Rows by the name of their function; among several of one name the more exact one counts.
#include "knowledge/stack_frames.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "knowledge/cells.h"

namespace sx {
namespace {

std::optional<WaitKind> kind_of(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, WaitKind>, 12> kKinds{
      {{"collective", WaitKind::Collective},
       {"join", WaitKind::Join},
       {"receive", WaitKind::Receive},
       {"device", WaitKind::Device},
       {"work", WaitKind::Work},
       {"compute", WaitKind::Compute},
       {"file", WaitKind::File},
       {"compile", WaitKind::Compile},
       {"capture", WaitKind::Capture},
       {"lock", WaitKind::Lock},
       {"sleep", WaitKind::Sleep},
       {"serve", WaitKind::Serve}}};
  for (const auto& [name, kind] : kKinds) {
    if (name == word) return kind;
  }
  return {};
}

std::vector<StackFrameRow> read_frames() {
  const Table table(table_bytes("data/stack_frames.tsv"));
  std::vector<StackFrameRow> all;
  all.reserve(table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto cell = [&](std::string_view column) { return known_cell(table.cell(i, column)); };
    const auto kind = kind_of(cell("kind"));
    const auto weight = integer_cell(cell("weight"));
    if (!kind || !weight) continue;
    const std::string_view frame = cell("frame");
    const auto at = frame.find('@');
    all.push_back({.name = frame.substr(0, at),
                   .file = at == frame.npos ? std::string_view() : frame.substr(at + 1),
                   .kind = *kind,
                   .weight = static_cast<int>(*weight),
                   .said = {cell("said"), cell("said_zh")},
                   .source = cell("source")});
  }
  std::ranges::sort(all, [](const StackFrameRow& a, const StackFrameRow& b) {
    return std::pair(a.name, a.weight) < std::pair(b.name, b.weight);
  });
  return all;
}

}  // namespace

std::span<const StackFrameRow> stack_frames() {
  static const std::vector<StackFrameRow> all = read_frames();
  return all;
}

const StackFrameRow* find_stack_frame(std::string_view name, std::string_view where) {
  // py-spy names methods with their class where Python tells it: "Condition.wait".
  name = name.substr(name.rfind('.') + 1);
  const StackFrameRow* best = nullptr;
  for (const StackFrameRow& row :
       std::ranges::equal_range(stack_frames(), name, {}, &StackFrameRow::name)) {
    if (!row.file.empty() && where.find(row.file) == where.npos) continue;
    if (best == nullptr || row.weight > best->weight) best = &row;
  }
  return best;
}

}  // namespace sx
