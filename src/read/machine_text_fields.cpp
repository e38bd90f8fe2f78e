// Values of `nvidia-smi` fields, as they are printed.
#include "read/machine_text_fields.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "read/machine_text_lines.h"

namespace sx {
namespace {

struct Column {
  std::string_view name;
  SmiField field;
};

constexpr std::array<Column, 24> kColumns{{
    {"index", SmiField::Index},
    {"name", SmiField::Name},
    {"gpu_name", SmiField::Name},
    {"uuid", SmiField::Uuid},
    {"gpu_uuid", SmiField::Uuid},
    {"pci.bus_id", SmiField::BusId},
    {"gpu_bus_id", SmiField::BusId},
    {"memory.total", SmiField::MemoryTotal},
    {"memory.used", SmiField::MemoryUsed},
    {"memory.free", SmiField::MemoryFree},
    {"driver_version", SmiField::Driver},
    {"compute_cap", SmiField::Capability},
    {"mig.mode.current", SmiField::Mig},
    {"mig_mode.current", SmiField::Mig},
    {"ecc.mode.current", SmiField::Ecc},
    {"ecc_mode.current", SmiField::Ecc},
    {"persistence_mode", SmiField::Persistence},
    {"compute_mode", SmiField::ComputeMode},
    {"power.limit", SmiField::PowerLimit},
    {"enforced.power.limit", SmiField::PowerLimit},
    {"memory_total", SmiField::MemoryTotal},
    {"memory_used", SmiField::MemoryUsed},
    {"memory_free", SmiField::MemoryFree},
    {"gpu_index", SmiField::Index},
}};

std::optional<Bytes> memory_value(std::string_view value, std::string_view unit) {
  const auto end = value.find_first_not_of("0123456789.");
  if (end != value.npos) unit = trimmed(value.substr(end));
  const auto number = to_number(value.substr(0, end));
  if (!number || *number < 0 || *number > 1e12) return {};
  if (unit == "MiB" || unit == "MB" || unit.empty()) return mib(static_cast<std::int64_t>(*number));
  if (unit == "GiB" || unit == "GB") return fraction_of(gib(1), *number);
  return {};
}

std::optional<bool> switch_value(std::string_view value) {
  if (value == "Enabled" || value == "On") return true;
  if (value == "Disabled" || value == "Off") return false;
  return {};
}

}  // namespace

SmiField query_field(std::string_view column) {
  const auto* found = std::ranges::find(kColumns, column, &Column::name);
  return found == kColumns.end() ? SmiField::None : found->field;
}

bool looks_like_column(std::string_view text) {
  return !text.empty() && text.size() <= 80 && text.front() >= 'a' && text.front() <= 'z' &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._") == text.npos;
}

bool is_no_value(std::string_view text) {
  return text.empty() || text.starts_with('[') || text == "N/A" || text == "ERR!" ||
         text == "Unknown Error" || text.starts_with("Requested functionality") ||
         text == "Not Supported" || text == "Insufficient Permissions";
}

void set_field(PastedGpu& gpu, SmiField field, std::string_view value, std::string_view unit) {
  value = trimmed(value);
  if (is_no_value(value) || value.size() > 200) return;
  switch (field) {
    case SmiField::None:
    case SmiField::Driver:
      return;
    case SmiField::Index:
      if (const auto index = to_integer(value); index && *index >= 0 && *index < 640)
        gpu.index = static_cast<int>(*index);
      return;
    case SmiField::Name:
      gpu.name = std::string(value);
      return;
    case SmiField::Uuid:
      gpu.uuid = std::string(value);
      return;
    case SmiField::BusId:
      if (is_bus_id(value)) gpu.pci = std::string(value);
      return;
    case SmiField::MemoryTotal:
      gpu.memory = memory_value(value, unit);
      return;
    case SmiField::MemoryUsed:
      gpu.used = memory_value(value, unit);
      return;
    case SmiField::MemoryFree:
      gpu.free = memory_value(value, unit);
      return;
    case SmiField::Capability:
      if (is_version(value)) gpu.capability = std::string(value);
      return;
    case SmiField::Mig:
      gpu.mig = switch_value(value);
      return;
    case SmiField::Ecc:
      gpu.ecc = switch_value(value);
      return;
    case SmiField::Persistence:
      gpu.persistence = switch_value(value);
      return;
    case SmiField::ComputeMode:
      gpu.compute_mode = std::string(value);
      return;
    case SmiField::PowerLimit:
      gpu.power_limit_w = to_number(trimmed(value.substr(0, value.find('W'))));
      return;
  }
}

bool looks_like_card(std::string_view text) {
  constexpr std::array<std::string_view, 6> kFronts{"NVIDIA ", "Tesla ", "GeForce ",
                                                    "Quadro ", "GRID ",  "TITAN "};
  return std::ranges::any_of(kFronts,
                             [&](std::string_view front) { return text.starts_with(front); });
}

}  // namespace sx
