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

}  // namespace

void SmiQueryParser::take_value(std::string_view key, std::string_view value) {
  set_field(gpus.back(), field_of(section_, key), value, "");
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
    return;
  }
  if (!open_ || text.empty()) return;
  const auto colon = text.find(" : ");
  if (colon == text.npos) {
    if (text.find(':') == text.npos && text.size() <= 64) section_ = std::string(text);
    return;
  }
  take_value(trimmed(text.substr(0, colon)), text.substr(colon + 3));
}

}  // namespace sx
