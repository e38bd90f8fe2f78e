// The condition of a card as `nvidia-smi -q` tells it, in the names of older and newer drivers.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "read/machine_text_fields.h"
#include "read/machine_text_parts.h"

namespace sx {
namespace {

constexpr std::size_t kMostProcesses = 256;  // of one card; more is a broken text

// "350.00 W", "1980 MHz", "16x", "34 C", "3": the number in front.
std::optional<double> number_of(std::string_view value) {
  value = trimmed(value);
  return to_number(value.substr(0, value.find_first_not_of("0123456789.")));
}

std::optional<int> whole_of(std::string_view value) {
  const auto number = number_of(value);
  if (!number || *number < 0 || *number > 1e9) return {};
  return static_cast<int>(*number);
}

std::optional<std::int64_t> count_of(std::string_view value) {
  const auto number = to_integer(trimmed(value));
  if (!number || *number < 0) return {};
  return *number;
}

std::optional<bool> truth_of(std::string_view value) {
  if (value == "Yes" || value == "Enabled") return true;
  if (value == "No" || value == "Disabled") return false;
  return {};
}

template <class T>
void put(Told<T>& into, const std::optional<T>& value, const PastedLine& line) {
  if (value) tell(into, *value, line);
}

// Several lines of one kind count together; the place is that of the first that is not zero.
void add(Told<std::int64_t>& into, std::string_view value, const PastedLine& line) {
  const auto count = count_of(value);
  if (!count) return;
  const std::int64_t before = into.value.value_or(0);
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  if (before == 0) into.span = line.span;
  into.value = std::min(kMost, before) + std::min(kMost, *count);
}

// Memory errors: "Volatile" counts since the driver was loaded, "Aggregate" over the card's life.
// Old drivers give one total for single-bit (corrected) and one for double-bit errors.
bool set_errors(GpuState<Told>& state, const SmiPlace& place, std::string_view value,
                const PastedLine& line) {
  const bool now = place.section == "Volatile" || place.outer == "Volatile";
  const bool ever = place.section == "Aggregate" || place.outer == "Aggregate";
  if (!now && !ever) return false;
  auto& uncorrected = now ? state.ecc_uncorrected : state.ecc_uncorrected_total;
  auto& corrected = now ? state.ecc_corrected : state.ecc_corrected_total;
  if (place.section == "Single Bit" || place.section == "Double Bit") {
    if (place.key == "Total")
      add(place.section == "Single Bit" ? corrected : uncorrected, value, line);
    return true;
  }
  const bool memory = place.key.starts_with("SRAM ") || place.key.starts_with("DRAM ");
  if (!memory) return place.section == "Volatile" || place.section == "Aggregate";
  if (place.key.find("Uncorrectable") != place.key.npos) add(uncorrected, value, line);
  if (place.key.find(" Correctable") != place.key.npos) add(corrected, value, line);
  return true;
}

bool set_rows(GpuState<Told>& state, const SmiPlace& place, std::string_view value,
              const PastedLine& line) {
  if (place.section == "Retired Pages" || place.outer == "Retired Pages") {
    if (place.key == "Single Bit ECC" || place.key == "Double Bit ECC") {
      const auto count = whole_of(value);
      if (count) state.retired_pages = {state.retired_pages.value.value_or(0) + *count, line.span};
    }
    // "Pending Page Blacklist", since 450 "Pending".
    if (place.key.starts_with("Pending")) put(state.retirement_pending, truth_of(value), line);
    return true;
  }
  if (place.section != "Remapped Rows") return false;
  if (place.key == "Correctable Error" || place.key == "Uncorrectable Error") {
    const auto count = whole_of(value);
    if (count) state.remapped_rows = {state.remapped_rows.value.value_or(0) + *count, line.span};
  }
  if (place.key == "Pending") put(state.remap_pending, truth_of(value), line);
  if (place.key == "Remapping Failure Occurred") put(state.remap_failed, truth_of(value), line);
  return true;
}

bool set_pcie(GpuState<Told>& state, const SmiPlace& place, std::string_view value,
              const PastedLine& line) {
  if (place.section == "PCIe Generation") {
    if (place.key == "Current") put(state.pcie_generation, whole_of(value), line);
    if (place.key == "Max") put(state.pcie_generation_max, whole_of(value), line);
    return true;
  }
  if (place.section != "Link Width") return false;
  if (place.key == "Current") put(state.pcie_width, whole_of(value), line);
  if (place.key == "Max") put(state.pcie_width_max, whole_of(value), line);
  return true;
}

bool set_power(GpuState<Told>& state, const SmiPlace& place, std::string_view value,
               const PastedLine& line) {
  if (place.section == "Power Readings" || place.section == "GPU Power Readings") {
    if (place.key.ends_with("Power Draw")) put(state.power_draw_w, number_of(value), line);
    if (place.key == "Default Power Limit") put(state.power_default_w, number_of(value), line);
    if (place.key == "Max Power Limit") put(state.power_max_w, number_of(value), line);
    return true;
  }
  if (place.section == "Clocks") {
    if (place.key == "SM") put(state.clock_mhz, whole_of(value), line);
    return true;
  }
  if (place.section == "Applications Clocks") {
    if (place.key == "Graphics") put(state.clock_application_mhz, whole_of(value), line);
    return true;
  }
  if (place.section != "Max Clocks") return false;
  if (place.key == "SM") put(state.clock_max_mhz, whole_of(value), line);
  return true;
}

bool set_slowdowns(GpuState<Told>& state, const SmiPlace& place, std::string_view value,
                   const PastedLine& line) {
  const bool reasons = place.section == "Clocks Event Reasons" ||
                       place.section == "Clocks Throttle Reasons" ||
                       place.section == "HW Slowdown" || place.outer == "Clocks Event Reasons" ||
                       place.outer == "Clocks Throttle Reasons";
  if (!reasons) return false;
  if (value != "Active" && value != "Not Active") return true;
  if (!state.slowdowns.value) state.slowdowns = {std::vector<std::string>{}, line.span};
  if (value == "Not Active" || state.slowdowns.value->size() >= 16) return true;
  if (state.slowdowns.value->empty()) state.slowdowns.span = line.span;
  state.slowdowns.value->emplace_back(place.key);
  return true;
}

bool set_process(GpuState<Told>& state, const SmiPlace& place, std::string_view value,
                 const PastedLine& line) {
  if (place.section != "Processes") return false;
  if (!state.processes.value) state.processes = {std::vector<GpuProcess>{}, line.span};
  auto& all = *state.processes.value;
  if (place.key == "Process ID") {
    const auto pid = count_of(value);
    if (pid && all.size() < kMostProcesses) all.push_back({.pid = *pid});
    return true;
  }
  if (all.empty()) return true;
  if (place.key == "Name" && !is_no_value(value))
    all.back().name = std::string(value.substr(0, 200));
  if (place.key == "Used GPU Memory" && value.ends_with("MiB")) {
    const auto count = number_of(value);
    if (count && *count < 1e12) all.back().memory = mib(static_cast<std::int64_t>(*count));
  }
  return true;
}

bool set_plain(GpuState<Told>& state, const SmiPlace& place, std::string_view value,
               const PastedLine& line) {
  if (place.key == "Display Active") {
    put(state.display, truth_of(value), line);
  } else if (place.key == "Performance State" && value.starts_with('P')) {
    put(state.performance_state, whole_of(value.substr(1)), line);
  } else if (place.key == "GPU Current Temp") {
    put(state.temperature_c, whole_of(value), line);
  } else if (place.section == "Utilization" && (place.key == "Gpu" || place.key == "GPU")) {
    put(state.utilisation, whole_of(value), line);
  } else if (place.section == "Fabric" && place.key == "State") {
    tell(state.fabric_state, std::string(value.substr(0, 60)), line);
  } else if (place.section == "Fabric" && place.key == "Status") {
    tell(state.fabric_status, std::string(value.substr(0, 60)), line);
  } else {
    return false;
  }
  return true;
}

}  // namespace

void set_state(GpuState<Told>& state, const SmiPlace& place, std::string_view value,
               const PastedLine& line) {
  value = trimmed(value);
  // "Processes : None" is an answer.
  if (place.key == "Processes" && value == "None")
    tell(state.processes, std::vector<GpuProcess>{}, line);
  if (value.find("GPU is lost") != value.npos) {
    tell(state.lost, true, line);
    return;
  }
  if (value.empty() || is_no_value(value)) return;
  // Indents are lost in pastes, so a plain key seems to belong to the section above it.
  if (set_plain(state, place, value, line)) return;
  if (set_errors(state, place, value, line) || set_rows(state, place, value, line)) return;
  if (set_pcie(state, place, value, line) || set_power(state, place, value, line)) return;
  if (!set_slowdowns(state, place, value, line)) set_process(state, place, value, line);
}

}  // namespace sx
