// `lspci -v` to `-vvv`: what the link of a card can and does, and ports that send transfers between
// two devices up to the root (access control).
#include <algorithm>

#include "base/strings.h"
#include "read/machine_text_parts.h"

namespace sx {
namespace {

constexpr std::size_t kMostPorts = 256;

// "1a:00.0" and "0000:1a:00.0" at the front of a device's line; "" when it is something else.
std::string_view address_of(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  if (is_bus_id(word)) return word;
  const auto hex = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  const bool without_domain = word.size() == 7 && word[2] == ':' && word[5] == '.' &&
                              hex(word[0]) && hex(word[1]) && hex(word[3]) && hex(word[4]) &&
                              hex(word[6]);
  return without_domain ? word : std::string_view{};
}

// "Width x8 (downgraded)" gives 8.
std::optional<int> width_of(std::string_view text) {
  const auto at = text.find("Width x");
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + 7);
  const auto width = to_integer(rest.substr(0, rest.find_first_not_of("0123456789")));
  if (!width || *width < 1 || *width > 32) return {};
  return static_cast<int>(*width);
}

// The generation of "Speed 16GT/s": each has a rate of its own.
std::optional<int> generation_of(std::string_view text) {
  const auto at = text.find("Speed ");
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + 6);
  const auto rate = to_number(rest.substr(0, rest.find_first_not_of("0123456789.")));
  if (!rate || rest.find("GT/s") == rest.npos) return {};
  constexpr double kRates[] = {2.5, 5, 8, 16, 32, 64};  // the PCIe standard's own steps
  for (int i = 0; i < 6; ++i) {
    if (*rate > kRates[i] - 0.1 && *rate < kRates[i] + 0.1) return i + 1;
  }
  return {};
}

}  // namespace

void PciParser::take_device(const PastedLine& line, std::string_view address, std::string_view kind,
                            PastedParts& parts) {
  port_ = std::string(address);
  const bool card = kind.find("VGA compatible controller") != kind.npos ||
                    kind.find("3D controller") != kind.npos || kind.find("[0300]") != kind.npos ||
                    kind.find("[0302]") != kind.npos;
  gpu_ = card && kind.find("NVIDIA") != kind.npos && gpus.size() < kMostPastedGpus;
  if (!gpu_) return;
  PastedGpu gpu;
  gpu.pci = port_;
  gpus.push_back(std::move(gpu));
  parts.state.pci_gpus = {static_cast<int>(gpus.size()),
                          parts.state.pci_gpus ? parts.state.pci_gpus.span : line.span};
}

void PciParser::take(const PastedLine& line, PastedParts& parts) {
  const std::string_view text = trimmed(without_marks(line.text));
  const std::string_view address = address_of(text);
  if (!address.empty()) {
    const std::string_view kind = trimmed(text.substr(address.size()));
    // A second listing of the same machine adds nothing.
    const bool told = std::ranges::any_of(
        gpus, [&](const PastedGpu& gpu) { return lower(gpu.pci) == lower(address); });
    gpu_ = false;
    port_.clear();
    if (!told && kind.find(':') != kind.npos) take_device(line, address, kind, parts);
    return;
  }
  if (port_.empty()) return;
  if (gpu_ && text.starts_with("LnkCap:")) {
    if (const auto width = width_of(text)) tell(gpus.back().state.pcie_width_max, *width, line);
    if (const auto step = generation_of(text))
      tell(gpus.back().state.pcie_generation_max, *step, line);
    return;
  }
  if (gpu_ && text.starts_with("LnkSta:")) {
    if (const auto width = width_of(text)) tell(gpus.back().state.pcie_width, *width, line);
    if (const auto step = generation_of(text)) tell(gpus.back().state.pcie_generation, *step, line);
    return;
  }
  if (!text.starts_with("ACSCtl:")) return;
  auto& ports = parts.state.acs_redirects;
  if (!ports.value) ports = {std::vector<std::string>{}, line.span};
  const bool redirects = text.find("ReqRedir+") != text.npos;
  if (!redirects || ports.value->size() >= kMostPorts) return;
  if (ports.value->empty()) ports.span = line.span;
  ports.value->push_back(port_);
}

}  // namespace sx
