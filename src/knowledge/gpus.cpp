// Kinds of GPUs as rows of data/gpus.tsv, and the names that drivers print for them.
#include "knowledge/gpus.h"

#include <algorithm>
#include <array>
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

std::optional<int> count_cell(std::string_view cell) {
  const auto number = integer_cell(cell);
  if (!number || *number < 0 || *number > 100000) return {};
  return static_cast<int>(*number);
}

constexpr std::array<std::string_view, 20> kColumns{"name",
                                                    "architecture",
                                                    "capability",
                                                    "memory_mib",
                                                    "memory_mib_other",
                                                    "held_back_gib",
                                                    "multiprocessors",
                                                    "memory_gb_per_second",
                                                    "bf16",
                                                    "fp8",
                                                    "nvlink_gb_per_second",
                                                    "pcie",
                                                    "fp16_tflops",
                                                    "fp8_tflops",
                                                    "fp4_tflops",
                                                    "int8_tops",
                                                    "power_w",
                                                    "notes",
                                                    "source",
                                                    "checked"};

GpuKind kind_of(const RowReader<kColumns.size()>::Cells& cells) {
  const auto* next = cells.begin();
  const auto cell = [&] { return *next++; };  // in the order of kColumns
  GpuKind kind;
  kind.name = cell();
  kind.architecture = known_cell(cell());
  kind.capability = capability_cell(cell());
  kind.memory = mib_cell(cell());
  kind.memory_other = other_memory(cell());
  if (const auto held = number_cell(cell())) {
    kind.held_back = Bytes{static_cast<std::int64_t>(*held * kBytesPerGib)};
  }
  kind.multiprocessors = count_cell(cell());
  kind.memory_gb_per_second = number_cell(cell());
  kind.bf16 = yes_or_no_cell(cell());
  kind.fp8 = yes_or_no_cell(cell());
  kind.nvlink_gb_per_second = number_cell(cell());
  kind.pcie = known_cell(cell());
  kind.fp16_tflops = number_cell(cell());
  kind.fp8_tflops = number_cell(cell());
  kind.fp4_tflops = number_cell(cell());
  kind.int8_tops = number_cell(cell());
  kind.power_watts = number_cell(cell());
  kind.notes = known_cell(cell());
  kind.source = cell();
  kind.checked = cell();
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
    const RowReader<kColumns.size()> reader(table, kColumns);
    std::vector<GpuKind> all;
    all.reserve(table.rows());
    for (std::size_t row = 0; row < table.rows(); ++row) all.push_back(kind_of(reader.row(row)));
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
