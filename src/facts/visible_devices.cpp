// CUDA_VISIBLE_DEVICES as the CUDA runtime reads it: entries from left to right up to the first
// that names no GPU; a GPU named twice leaves none at all.
#include "facts/visible_devices.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"

namespace sx {
namespace {

// Room for every mask that a person or a scheduler writes; the rest of a longer one is not read.
constexpr std::size_t kEntryLimit = 1024;

// Words that schedulers write to say "none"; the runtime reads them as an entry that names no GPU.
bool says_none(std::string_view entry) {
  const std::string word = lower(entry);
  return word == "nodevfiles" || word == "none" || word == "void";
}

// GPUs whose UUID begins so. Empty optional: the host's UUIDs are not known, or the entry names a
// part of a GPU.
std::optional<std::vector<int>> by_prefix(std::string_view entry, const HostSpec& host) {
  if (entry.starts_with("MIG-")) return {};
  std::vector<int> found;
  for (const Gpu& gpu : host.gpus) {
    if (gpu.uuid.empty()) return {};
    if (lower(gpu.uuid).starts_with(lower(entry))) found.push_back(gpu.index);
  }
  if (host.gpus.empty() && host.gpu_count.value_or(0) > 0) return {};
  return found;
}

enum class Step { Taken, Ends, CannotTell };

Step take(std::string_view entry, const HostSpec& host, VisibleDevices& seen) {
  std::optional<int> gpu;
  if (names_uuid(entry)) {
    const auto found = by_prefix(entry, host);
    if (!found) return Step::CannotTell;
    if (found->size() == 1) gpu = found->front();  // a prefix of several names none
  } else if (const auto number = to_integer(entry)) {
    if (*number < 0) {
      seen.negative = true;
      return Step::Ends;
    }
    if (*number < host.gpu_count.value()) gpu = static_cast<int>(*number);
  } else if (says_none(entry)) {
    seen.negative = true;
    return Step::Ends;
  }
  // Indices and UUIDs do not mix: the first entry decides which of them the list is made of.
  if (!gpu || names_uuid(entry) != seen.by_uuid) {
    seen.out_of_range.emplace_back(entry);
    return Step::Ends;
  }
  if (std::ranges::find(seen.gpus, *gpu) != seen.gpus.end()) {
    seen.repeated.emplace_back(entry);
    return Step::Taken;
  }
  seen.gpus.push_back(*gpu);
  return Step::Taken;
}

void read_mask(std::string_view mask, const HostSpec& host, VisibleDevices& seen) {
  if (trimmed(mask).empty()) return;
  for (const std::string_view part : split(mask, ',')) {
    if (seen.entries.size() == kEntryLimit) break;
    seen.entries.emplace_back(trimmed(part));
  }
  seen.by_uuid = names_uuid(seen.entries.front());
  for (const std::string& entry : seen.entries) {
    const Step step = take(entry, host, seen);
    if (step == Step::CannotTell) {
      seen.known = false;
      seen.gpus.clear();
    }
    if (step != Step::Taken) break;
  }
  if (!seen.repeated.empty()) seen.gpus.clear();
}

// A launch may begin behind the first of the GPUs that it sees, and pass some over.
void choose(const ServeSpec& serve, VisibleDevices& seen) {
  const int first = std::max(0, serve.first_gpu.value_or(0));
  const int step = std::max(1, serve.gpu_step.value_or(1));
  if (first == 0 && step == 1) return;
  std::vector<int> chosen;
  for (auto at = static_cast<std::size_t>(first); at < seen.gpus.size();
       at += static_cast<std::size_t>(step))
    chosen.push_back(seen.gpus[at]);
  seen.gpus = std::move(chosen);
}

}  // namespace

bool names_uuid(std::string_view entry) {
  return entry.starts_with("GPU-") || entry.starts_with("MIG-");
}

VisibleDevices visible_devices(const ServeSpec& serve, const HostSpec& host) {
  VisibleDevices seen;
  seen.masked = serve.visible_devices.known() || !serve.visible_devices.why_unknown().empty();
  if (!host.gpu_count.known()) {
    if (serve.visible_devices.known()) {
      for (const auto part : split(serve.visible_devices.value(), ',')) {
        if (seen.entries.size() < kEntryLimit && !trimmed(part).empty())
          seen.entries.emplace_back(trimmed(part));
      }
    }
    return seen;
  }
  if (seen.masked && !serve.visible_devices.known()) return seen;

  seen.known = true;
  if (seen.masked) {
    read_mask(serve.visible_devices.value(), host, seen);
  } else {
    for (int gpu = 0; gpu < host.gpu_count.value(); ++gpu) seen.gpus.push_back(gpu);
  }
  choose(serve, seen);
  // Without PCI_BUS_ID the runtime puts the fastest kind of card first; among equal cards that
  // changes nothing.
  const bool bus_order = serve.device_order.known() && serve.device_order.value() == "PCI_BUS_ID";
  seen.order_unsure = host.gpus.size() > 1 && !host.uniform() && !bus_order && !seen.by_uuid;
  return seen;
}

}  // namespace sx
