// From a kind of card to what one GPU of it has: memory, what the runtime sees of it, what its
// units can do.
#include "gather/gather_host_card.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "knowledge/constants.h"

namespace sx {
namespace {

constexpr Text kNotInCatalogue{"the card is not in the catalogue", "GPU 数据表里没有这种卡"};
constexpr Text kCellUnknown{"the catalogue does not know it for {name}",
                            "GPU 数据表里没有 {name} 的这项数据"};
constexpr Text kBridges{"{name} has NVLink only where bridges are fitted",
                        "{name} 只有装了桥接器才有 NVLink"};
constexpr Text kNoTotal{"the total memory is not known", "总显存未知"};
constexpr Text kNoHeldBack{"how much the driver holds back of this card is not known",
                           "驱动在这种卡上保留多少显存未知"};
constexpr Text kInstances{
    "the card is split into MIG instances: a process sees one of them, and how large it is is not "
    "known",
    "这张卡已划分成 MIG 实例：进程只能看到其中一个，其大小未知"};

template <class T>
void fill(Fact<T>& fact, const std::optional<T>& value, const GpuKind* kind, Origin origin) {
  if (fact.known()) return;
  if (value) {
    fact = {*value, origin};
    return;
  }
  if (!fact.why_unknown().empty()) return;
  if (kind == nullptr) {
    fact = Fact<T>::unknown(kNotInCatalogue);
  } else {
    fact = Fact<T>::unknown({kCellUnknown, {{"name", kind->name}}});
  }
}

// Cards that can take a bridge but work without one: their data sheet tells a rate, not that links
// are there.
bool links_are_optional(std::string_view name) {
  constexpr std::array<std::string_view, 8> kMarks{"PCIe",  "PCIE",   " NVL", "RTX",
                                                   "TITAN", "Active", "A30",  "A40"};
  return std::ranges::any_of(kMarks,
                             [&](std::string_view mark) { return name.find(mark) != name.npos; });
}

void fill_nvlink(Gpu& gpu, const GpuKind* kind, Origin origin) {
  if (gpu.nvlink.known()) return;
  if (kind != nullptr && kind->nvlink_gb_per_second.value_or(0) > 0 &&
      links_are_optional(kind->name)) {
    gpu.nvlink = Fact<bool>::unknown({kBridges, {{"name", kind->name}}});
    return;
  }
  std::optional<bool> has;
  if (kind != nullptr && kind->nvlink_gb_per_second) has = *kind->nvlink_gb_per_second > 0;
  fill(gpu.nvlink, has, kind, origin);
}

Bytes less(Bytes total, double gib) {
  const Bytes held{static_cast<std::int64_t>(gib * 1024 * 1024 * 1024 + 0.5)};
  return std::max(total - held, Bytes{0});
}

// The runtime sees less than nvidia-smi prints: a measured part of each kind, else a band that
// covers the measured kinds. Of a card that is split it sees a part, whatever the whole has.
void fill_usable(Gpu& gpu, const GpuKind* kind) {
  if (gpu.usable.known()) return;
  if (gpu.mig.value_or(false)) {
    gpu.usable = gpu.usable_low = gpu.usable_high = Fact<Bytes>::unknown(kInstances);
    return;
  }
  if (!gpu.memory.known()) {
    gpu.usable = gpu.usable_low = gpu.usable_high = Fact<Bytes>::unknown(kNoTotal);
    return;
  }
  const Bytes total = gpu.memory.value();
  if (kind != nullptr && kind->held_back) {
    const Bytes seen = std::max(total - *kind->held_back, Bytes{0});
    gpu.usable = gpu.usable_low = gpu.usable_high = {seen, Origin::Measured};
    return;
  }
  const auto band = constant("", "held-back-default", Version{});
  if (!band) {
    gpu.usable = gpu.usable_low = gpu.usable_high = Fact<Bytes>::unknown(kNoHeldBack);
    return;
  }
  gpu.usable = {less(total, band->value), Origin::Assumed};
  gpu.usable_low = {less(total, band->high), Origin::Assumed};
  gpu.usable_high = {less(total, band->low), Origin::Assumed};
}

}  // namespace

void describe_card(Gpu& gpu, const GpuKind* kind, Origin origin) {
  fill(gpu.memory, kind != nullptr ? kind->memory : std::nullopt, kind, origin);
  fill(gpu.capability, kind != nullptr ? kind->capability : std::nullopt, kind, origin);
  fill(gpu.multiprocessors, kind != nullptr ? kind->multiprocessors : std::nullopt, kind, origin);
  fill(gpu.bf16, kind != nullptr ? kind->bf16 : std::nullopt, kind, origin);
  fill(gpu.fp8, kind != nullptr ? kind->fp8 : std::nullopt, kind, origin);
  fill_nvlink(gpu, kind, origin);
  fill_usable(gpu, kind);
}

const GpuKind* kind_of(const Gpu& gpu) {
  if (!gpu.name.known()) return nullptr;
  const auto memory = gpu.memory.known() ? std::optional(gpu.memory.value()) : std::nullopt;
  return gpu_by_driver_name(gpu.name.value(), memory);
}

}  // namespace sx
