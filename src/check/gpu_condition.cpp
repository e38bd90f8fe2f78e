// Cards that a launch uses, and others that could take their place.
#include "check/gpu_condition.h"

#include <algorithm>

#include "base/strings.h"
#include "check/free_memory.h"
#include "fit/links.h"

namespace sx {
namespace {

constexpr Text kOthers{"use GPUs {gpus} instead", "改用 GPU {gpus}"};
constexpr Text kOther{"use GPU {gpus} instead", "改用 GPU {gpus}"};

// Domain, bus and device without leading zeros of the domain and without the function:
// "0000:1a:00.0", "00000000:1A:00.0", "1a:00.0" and "0000:1a:00" are one place.
std::string bus_key(std::string_view pci) {
  std::string key = lower(pci);
  if (const auto dot = key.find('.'); dot != key.npos) key.resize(dot);
  if (std::ranges::count(key, ':') < 2) return key;
  const auto colon = key.find(':');
  const auto first = key.find_first_not_of('0');
  return key.substr(first >= colon ? colon + 1 : first);
}

std::vector<int> good_of_kind(const HostSpec& host, std::string_view kind,
                              const std::vector<const Gpu*>& launch,
                              const std::vector<const Gpu*>& bad) {
  std::vector<int> good;
  for (const Gpu& gpu : host.gpus) {
    const bool own = std::ranges::find(launch, &gpu) != launch.end();
    const bool like = !kind.empty() && gpu.name.value_or("") == kind;
    const bool free = own || seems_well(gpu);
    if (like && free && std::ranges::find(bad, &gpu) == bad.end()) good.push_back(gpu.index);
  }
  return good;
}

}  // namespace

bool seems_well(const Gpu& gpu) {
  constexpr Bytes kIdle = gib(1);  // more is somebody's
  const auto& state = gpu.state;
  const bool faulty = state.ecc_uncorrected.value_or(0) > 0 ||
                      state.remap_pending.value_or(false) || state.remap_failed.value_or(false) ||
                      state.retirement_pending.value_or(false) || state.lost.value_or(false);
  return !faulty && !gpu.mig.value_or(false) && gpu.used.value_or(Bytes{0}) <= kIdle;
}

std::vector<const Gpu*> cards_in_question(const Case& c) {
  std::vector<const Gpu*> cards = gpus_of_launch(c);
  if (!cards.empty() || c.visible.known) return cards;
  for (const Gpu& gpu : c.host().gpus) cards.push_back(&gpu);
  return cards;
}

std::string numbers_of(const std::vector<const Gpu*>& cards) {
  std::vector<int> numbers;
  for (const Gpu* card : cards) numbers.push_back(card->index);
  std::ranges::sort(numbers);
  return join(numbers, ",");
}

const Gpu* card_at(const HostSpec& host, std::string_view pci) {
  if (pci.empty()) return nullptr;
  const std::string key = bus_key(pci);
  const auto found = std::ranges::find_if(
      host.gpus, [&](const Gpu& gpu) { return !gpu.pci.empty() && bus_key(gpu.pci) == key; });
  return found == host.gpus.end() ? nullptr : &*found;
}

void propose_other_cards(const Case& c, const std::vector<const Gpu*>& bad,
                         std::vector<Proposal>& proposals) {
  const auto launch = gpus_of_launch(c);
  if (c.asked_again || launch.empty()) return;
  const int wanted = c.serve.gpus_wanted().value_or(1);
  std::vector<int> good;
  // Of unlike cards, the first kind of which there are enough.
  for (const Gpu* own : launch) {
    if (static_cast<int>(good.size()) >= wanted) break;
    good = good_of_kind(c.host(), own->name.value_or(""), launch, bad);
  }
  if (static_cast<int>(good.size()) < wanted) return;
  if (const auto best = best_gpus(c.host(), wanted, good)) good = best->gpus;
  good.resize(static_cast<std::size_t>(wanted));
  std::vector<Change> changes{set_environment("CUDA_VISIBLE_DEVICES", join(good, ","))};
  if (c.visible.order_unsure) changes.push_back(set_environment("CUDA_DEVICE_ORDER", "PCI_BUS_ID"));
  proposals.push_back({{wanted == 1 ? kOther : kOthers, {{"gpus", join(good, ",")}}},
                       std::move(changes),
                       Safety::ChangesBehaviour});
}

}  // namespace sx
