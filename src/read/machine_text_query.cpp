// `nvidia-smi -q`: keys and values under section lines. Indents get lost in pastes, so a section is
// the last line without a value.
#include <algorithm>

#include "base/strings.h"
#include "read/machine_text_fields.h"
#include "read/machine_text_parts.h"

namespace sx {
namespace {

constexpr std::string_view kFront = "GPU ";

SmiField field_of(std::string_view section, std::string_view key) {
  if (key == "Product Name") return SmiField::Name;
  if (key == "GPU UUID") return SmiField::Uuid;
  if (key == "Persistence Mode") return SmiField::Persistence;
  if (key == "Compute Mode") return SmiField::ComputeMode;
  if (section == "MIG Mode" && key == "Current") return SmiField::Mig;
  if ((section == "ECC Mode" || section == "Ecc Mode") && key == "Current") return SmiField::Ecc;
  if (section == "FB Memory Usage" && key == "Total") return SmiField::MemoryTotal;
  if (section == "FB Memory Usage" && key == "Used") return SmiField::MemoryUsed;
  if (section == "FB Memory Usage" && key == "Free") return SmiField::MemoryFree;
  const bool power = section == "Power Readings" || section == "GPU Power Readings";
  if (power && (key == "Power Limit" || key == "Current Power Limit")) return SmiField::PowerLimit;
  return SmiField::None;
}

// Sections that hold sections of the same names as others do.
bool holds_others(std::string_view section) {
  return section == "Volatile" || section == "Aggregate" || section == "Clocks Event Reasons" ||
         section == "Clocks Throttle Reasons" || section == "Retired Pages";
}

bool belongs_below(std::string_view section) {
  return section == "Single Bit" || section == "Double Bit" || section == "HW Slowdown" ||
         section == "Aggregate Uncorrectable SRAM Sources";
}

}  // namespace

void SmiQueryParser::take_value(const PastedLine& line, std::string_view key,
                                std::string_view value) {
  // One instance has memory and errors of its own; the card's stand before and behind it.
  if (key == "Accounting Mode") mig_device_ = false;
  if (mig_device_) return;
  set_field(gpus.back(), field_of(section_, key), value, "");
  set_state(gpus.back().state, {.outer = outer_, .section = section_, .key = key}, value, line);
}

void SmiQueryParser::take(const PastedLine& line, PastedParts& parts) {
  const std::string_view text = trimmed(without_marks(line.text));
  if (text.starts_with(kFront) && is_bus_id(text.substr(kFront.size()))) {
    open_ = gpus.size() < kMostPastedGpus;
    if (!open_) {
      parts.could_not_read(line.number, {"more than 64 GPUs", "GPU 超过 64 张"});
      return;
    }
    PastedGpu gpu;
    gpu.index = static_cast<int>(gpus.size());  // -q goes by bus, as the indices do
    gpu.pci = std::string(text.substr(kFront.size()));
    gpu.span = line.span;
    gpus.push_back(std::move(gpu));
    section_.clear();
    outer_.clear();
    mig_device_ = false;
    return;
  }
  if (!open_ || text.empty()) return;
  const auto colon = text.find(" : ");
  if (colon != text.npos) {
    take_value(line, trimmed(text.substr(0, colon)), text.substr(colon + 3));
    return;
  }
  if (text.find(':') != text.npos || text.size() > 64) return;
  if (text == "MIG Device") mig_device_ = true;
  if (holds_others(text)) {
    outer_ = std::string(text);
  } else if (!belongs_below(text)) {
    outer_.clear();
  }
  section_ = std::string(text);
}

}  // namespace sx
