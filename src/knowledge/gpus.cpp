// Kinds of GPUs as rows of data/gpus.tsv, and the names that drivers print for them.
#include "knowledge/gpus.h"

#include <algorithm>
#include <cstdlib>

#include "base/strings.h"
#include "knowledge/cells.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

constexpr double kBytesPerGib = 1024.0 * 1024 * 1024;

std::optional<ComputeCapability> capability_cell(std::string_view cell) {
  const auto dot = cell.find('.');
  if (dot == std::string_view::npos) return {};
  const auto major = to_integer(cell.substr(0, dot));
  const auto minor = to_integer(cell.substr(dot + 1));
  if (!major || !minor || *major < 0 || *major > 99 || *minor < 0 || *minor > 99) return {};
  return ComputeCapability{.major = static_cast<int>(*major), .minor = static_cast<int>(*minor)};
}

std::optional<Bytes> mib_cell(std::string_view cell) {
  const auto count = integer_cell(cell);
  if (!count || *count <= 0) return {};
  return mib(*count);
}

// "48598/48601 (old driver)": the numbers of four to six digits outside of brackets.
std::vector<Bytes> other_memory(std::string_view cell) {
  std::vector<Bytes> found;
  int depth = 0;
  for (std::size_t at = 0; at < cell.size();) {
    if (cell[at] == '(') ++depth;
    if (cell[at] == ')') --depth;
    std::size_t length = 0;
    while (at + length < cell.size() && cell[at + length] >= '0' && cell[at + length] <= '9')
      ++length;
    if (depth == 0 && length >= 4 && length <= 6) {
      if (const auto size = mib_cell(cell.substr(at, length))) found.push_back(*size);
    }
    at += std::max<std::size_t>(length, 1);
  }
  return found;
}

GpuKind kind_at(const Table& table, std::size_t row) {
  const auto cells = split(table.line(row), '\t');  // all of them are wanted: cut once
  const auto cell = [&](std::string_view column) {
    const auto at = static_cast<std::size_t>(table.column(column).value_or(-1));
    return at < cells.size() ? cells[at] : std::string_view();
  };
  const auto whole = [&](std::string_view column) -> std::optional<int> {
    const auto number = integer_cell(cell(column));
    if (!number || *number < 0 || *number > 100000) return {};
    return static_cast<int>(*number);
  };
  GpuKind kind;
  kind.name = cell("name");
  kind.architecture = known_cell(cell("architecture"));
  kind.capability = capability_cell(cell("capability"));
  kind.memory = mib_cell(cell("memory_mib"));
  kind.memory_other = other_memory(cell("memory_mib_other"));
  if (const auto held = number_cell(cell("held_back_gib"))) {
    kind.held_back = Bytes{static_cast<std::int64_t>(*held * kBytesPerGib)};
  }
  kind.multiprocessors = whole("multiprocessors");
  kind.memory_gb_per_second = number_cell(cell("memory_gb_per_second"));
  kind.bf16 = yes_or_no_cell(cell("bf16"));
  kind.fp8 = yes_or_no_cell(cell("fp8"));
  kind.nvlink_gb_per_second = number_cell(cell("nvlink_gb_per_second"));
  kind.pcie = known_cell(cell("pcie"));
  kind.fp16_tflops = number_cell(cell("fp16_tflops"));
  kind.fp8_tflops = number_cell(cell("fp8_tflops"));
  kind.fp4_tflops = number_cell(cell("fp4_tflops"));
  kind.int8_tops = number_cell(cell("int8_tops"));
  kind.power_watts = number_cell(cell("power_w"));
  kind.notes = known_cell(cell("notes"));
  kind.source = cell("source");
  kind.checked = cell("checked");
  return kind;
}

// Drivers before 465 print the name without the maker.
std::string_view without_maker(std::string_view name) {
  if (name.starts_with("NVIDIA ")) name.remove_prefix(7);
  return name;
}

// Within what differs between drivers for one board, and no more: 24564 is not 24576 of another
// kind when only one of them fits exactly.
bool memory_fits(const GpuKind& kind, Bytes printed, std::int64_t per_thousand) {
  const auto near = [&](Bytes size) {
    return std::abs(size.count() - printed.count()) <= size.count() / 1000 * per_thousand;
  };
  if (!kind.memory) return per_thousand > 0;  // nothing speaks against it, nothing for it
  return near(*kind.memory) || std::ranges::any_of(kind.memory_other, near);
}

const GpuKind* the_only_one(const std::vector<const GpuKind*>& kinds) {
  return kinds.size() == 1 ? kinds.front() : nullptr;
}

}  // namespace

std::span<const GpuKind> gpu_kinds() {
  static const std::vector<GpuKind> kinds = [] {
    const Table table(table_bytes("data/gpus.tsv"));
    std::vector<GpuKind> all;
    all.reserve(table.rows());
    for (std::size_t row = 0; row < table.rows(); ++row) all.push_back(kind_at(table, row));
    return all;
  }();
  return kinds;
}

const GpuKind* gpu_by_driver_name(std::string_view printed, std::optional<Bytes> memory) {
  constexpr std::string_view kCut = "...";
  printed = trimmed(printed);
  for (const auto& kind : gpu_kinds()) {
    if (!printed.empty() && without_maker(kind.name) == without_maker(printed)) return &kind;
  }
  if (!printed.ends_with(kCut)) return nullptr;

  printed.remove_suffix(kCut.size());
  const std::string_view beginning = without_maker(trimmed(printed));
  if (beginning.empty() || beginning == "NVIDIA") return nullptr;
  std::vector<const GpuKind*> candidates;
  for (const auto& kind : gpu_kinds()) {
    if (without_maker(kind.name).starts_with(beginning)) candidates.push_back(&kind);
  }
  if (!memory) return the_only_one(candidates);
  for (const std::int64_t per_thousand : {0, 15}) {
    std::vector<const GpuKind*> fitting;
    for (const auto* kind : candidates) {
      if (memory_fits(*kind, *memory, per_thousand)) fitting.push_back(kind);
    }
    if (!fitting.empty()) return the_only_one(fitting);
  }
  return nullptr;
}

}  // namespace sx
