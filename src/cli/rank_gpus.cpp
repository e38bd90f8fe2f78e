// Addresses are written in several lengths by drivers, kernels and libraries.
#include "cli/rank_gpus.h"

#include <algorithm>

#include "base/strings.h"

namespace sx {
namespace {

// "0000:1a:00.0" and "00000000:1A:00" are one place: bus and device tell it within a host, and the
// domain where both have one.
std::string place_on_bus(std::string_view pci) {
  std::string text = lower(pci);
  text.resize(std::min(text.find('.'), text.size()));
  const auto colon = text.find(':');
  if (colon == std::string::npos || text.find(':', colon + 1) == std::string::npos) return text;
  const auto digits = text.find_first_not_of('0');
  return text.substr(std::min(digits, colon));
}

}  // namespace

const Gpu* gpu_at(const HostSpec* host, std::string_view pci) {
  if (host == nullptr || pci.empty()) return nullptr;
  const std::string place = place_on_bus(pci);
  for (const Gpu& gpu : host->gpus) {
    if (!gpu.pci.empty() && place_on_bus(gpu.pci) == place) return &gpu;
  }
  return nullptr;
}

std::string link_between(const HostSpec* host, const NcclGroup& group, int a, int b) {
  const NcclRank* const first = group.find(a);
  const NcclRank* const second = group.find(b);
  if (host == nullptr || first == nullptr || second == nullptr) return {};
  const Gpu* const one = gpu_at(host, first->bus);
  const Gpu* const other = gpu_at(host, second->bus);
  if (one == nullptr || other == nullptr) return {};
  const auto row = static_cast<std::size_t>(one - host->gpus.data());
  const auto column = static_cast<std::size_t>(other - host->gpus.data());
  const auto& classes = host->links.classes;
  if (row >= classes.size() || column >= classes[row].size()) return {};
  return classes[row][column];
}

}  // namespace sx
