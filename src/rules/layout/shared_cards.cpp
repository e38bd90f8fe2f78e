// vLLM takes its share of the whole card and refuses to start when less is free. SGLang takes its
// share of what is free and needs room for its weights in it. llama-server takes what its model and
// its cache need, and may leave layers on the host.
#include "rules/layout/shared_cards.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/strings.h"
#include "check/free_memory.h"
#include "check/memory_verdict.h"

namespace sx::rules {
namespace {

std::optional<int> number(const std::string& text) {
  const auto value = to_integer(text);
  if (!value || !std::in_range<int>(*value)) return {};
  return static_cast<int>(*value);
}

// The machine's number of a card that the launch sees as `seen`.
std::optional<int> of_machine(const Case& c, int seen) {
  if (!c.around.contained()) return seen;
  if (c.around.gpu_devices.known()) {
    const auto& devices = c.around.gpu_devices.value();
    if (static_cast<std::size_t>(seen) >= devices.size()) return {};
    return number(devices[static_cast<std::size_t>(seen)]);
  }
  if (c.around.all_gpus.value_or(false) || c.around.gpu_count.known()) return seen;
  return {};
}

// What one launch does with a card, in parts of the whole card.
struct Taker {
  enum class Way { Share, ShareOfFree, Fixed };
  Way way = Way::Share;
  double share = 0;  // of the card, of what is free, or what its model and cache take
  double least = 0;  // of ShareOfFree: weights and all else that comes before the cache

  // Held once it runs, on a card of which so much was free.
  double holds(double free) const { return way == Way::ShareOfFree ? share * free : share; }
  // So much must be free for it to start.
  double needs() const { return way == Way::ShareOfFree && share > 0 ? least / share : share; }
};

double part(Bytes bytes, Bytes card) {
  return static_cast<double>(bytes.count()) / static_cast<double>(card.count());
}

// At the optimistic end of the bands.
std::optional<Taker> by_budget(const Case& c, std::size_t position, Taker::Way way) {
  const auto budget = budget_of(c);
  if (!budget || budget->gpus.empty()) return {};
  const GpuBudget& gpu = budget->gpus[position % budget->gpus.size()];
  if (gpu.capacity <= Bytes{0}) return {};
  const Bytes before = spent_before_cache(gpu).low;
  if (way == Taker::Way::ShareOfFree)
    return Taker{way, budget->memory_fraction, part(before, gpu.capacity)};
  const BudgetLine* cache = gpu.line("kv_cache");
  const Bytes all = before + (cache == nullptr ? Bytes{0} : cache->low);
  return Taker{way, std::min(1.0, part(all, gpu.capacity)), 0};
}

std::optional<Taker> taker_of(const Case& c, std::size_t position) {
  if (c.serve.engine == "vllm") {
    const auto share = fraction_in_force(c);
    if (!share || c.serve.kv_cache_bytes.known()) return {};
    return Taker{Taker::Way::Share, *share, 0};
  }
  if (c.serve.engine == "sglang") return by_budget(c, position, Taker::Way::ShareOfFree);
  if (c.serve.engine == "llamacpp") return by_budget(c, position, Taker::Way::Fixed);
  return {};
}

// Estimates of a card's room are no closer: 0.5 and 0.5 start where nobody else holds memory.
constexpr double kWhole = 1.0;
constexpr double kRounding = 1e-9;

bool starts_after(const Taker& first, const Taker& second) {
  return second.needs() <= kWhole - first.holds(kWhole) + kRounding;
}

std::size_t position_of(const std::vector<int>& gpus, int gpu) {
  return static_cast<std::size_t>(std::ranges::find(gpus, gpu) - gpus.begin());
}

}  // namespace

std::vector<int> machine_gpus_of(const Case& c) {
  const auto wanted = c.serve.gpus_wanted();
  if (!wanted || !c.visible.known) return {};
  const int first = c.serve.first_gpu.value_or(0);
  const int step = std::max(1, c.serve.gpu_step.value_or(1));
  const auto seen = static_cast<int>(c.visible.gpus.size());
  if (first < 0 || *wanted > seen) return {};
  std::vector<int> taken;
  for (int i = 0; i < *wanted; ++i) {
    const int at = first + i * step;
    if (at >= seen) return {};
    const auto gpu = of_machine(c, c.visible.gpus[static_cast<std::size_t>(at)]);
    if (!gpu) return {};
    taken.push_back(*gpu);
  }
  return taken;
}

std::optional<Squeeze> squeeze(const Case& first, const Case& second, int gpu) {
  const auto one = taker_of(first, position_of(machine_gpus_of(first), gpu));
  const auto other = taker_of(second, position_of(machine_gpus_of(second), gpu));
  if (!one || !other) return {};
  if (starts_after(*one, *other)) return {};
  const bool adapts = one->way == Taker::Way::Fixed || other->way == Taker::Way::Fixed;
  return Squeeze{one->holds(kWhole) + other->needs(), !adapts && !starts_after(*other, *one)};
}

}  // namespace sx::rules
