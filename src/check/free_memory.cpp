// Sizes outside a launch's share of a card, from data.
#include "check/free_memory.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "engines/engine.h"
#include "knowledge/constants.h"
#include "knowledge/flags.h"
#include "knowledge/traits.h"

namespace sx {
namespace {

constexpr double kLargestShare =
    0.95;  // above it, nothing is left for what a profile run does not see

Bytes gib_of(double size) { return Bytes{static_cast<std::int64_t>(size * 1024 * 1024 * 1024)}; }

void add(Extent& sum, const std::optional<Constant>& gib) {
  if (!gib) return;
  sum.bytes += gib_of(gib->value);
  sum.low += gib_of(gib->low);
  sum.high += gib_of(gib->high);
}

}  // namespace

std::vector<const Gpu*> gpus_of_launch(const Case& c) {
  std::vector<const Gpu*> gpus;
  gpus.reserve(c.visible.gpus.size());
  const int wanted = c.serve.gpus_wanted().value_or(1);
  for (const int index : c.visible.gpus) {
    if (static_cast<int>(gpus.size()) >= wanted) break;
    const auto found = std::ranges::find(c.host().gpus, index, &Gpu::index);
    if (found != c.host().gpus.end()) gpus.push_back(&*found);
  }
  return gpus;
}

std::optional<double> fraction_in_force(const Case& c) {
  if (c.serve.memory_fraction.known()) {
    const double asked = c.serve.memory_fraction.value();
    return asked > 0 && asked <= 1 ? std::optional(asked)
                                   : std::nullopt;  // other numbers are refused as such
  }
  const auto row = engine_default(c.serve.engine, "gpu-memory-utilization", c.serve.version);
  return row ? to_number(row->value) : std::nullopt;
}

std::optional<Bytes> free_now(const Gpu& gpu) {
  if (!gpu.used.known() || !gpu.usable.known()) return {};
  // A person tells what is free; a driver tells what is used, and what it holds back itself is not
  // among that.
  const bool told = gpu.used.origin() == Origin::Flag && gpu.memory.known();
  const Bytes free = (told ? gpu.memory.value() : gpu.usable.value()) - gpu.used.value();
  return std::clamp(free, Bytes{0}, gpu.usable.value());
}

Extent taken_before_share(const Case& c) {
  Extent sum;
  add(sum, constant(c.serve.engine, "cuda-context", c.serve.version));
  const auto inside = constant(c.serve.engine, "collectives-in-budget", c.serve.version);
  const bool outside = inside && inside->value == 0;
  if (outside && c.serve.world_size().value_or(1) > 1)
    add(sum, constant(c.serve.engine, "nccl-buffers", c.serve.version));
  return sum;
}

bool refuses_less_than_share(const Case& c) {
  return trait(c.serve.engine, "free-memory-at-start", c.serve.version).has_value();
}

bool counts_neighbours(const Case& c) {
  const auto row = constant(c.serve.engine, "neighbours-in-budget", c.serve.version);
  return row && row->value != 0;
}

namespace {

Extent graphs_of(const Budget& budget) {
  const BudgetLine* line = budget.gpus.empty() ? nullptr : budget.tightest().line("graphs");
  return line == nullptr ? Extent{} : Extent{line->bytes, line->low, line->high};
}

// `own`: the launch's budget; null: not worked out yet.
Extent graphs_beside(const Case& c, const Budget* own) {
  const Engine* engine = find_engine(c.serve.engine);
  const EngineFlags* flags = engine_flags(c.serve.engine);
  const auto layout = layout_of(c.serve);
  if (engine == nullptr || flags == nullptr || !layout || c.serve.enforce_eager.value_or(false))
    return {};
  const auto graphs = [&](const Case& asked) -> Extent {
    const auto budget = engine->budget(asked, *layout);
    return budget ? graphs_of(*budget) : Extent{};
  };
  if ((own != nullptr ? graphs_of(*own) : graphs(c)).high > Bytes{0}) return {};
  // The same launch as the newest version would estimate it: the graphs are the same, only nobody
  // counted them.
  Case newest = c;
  newest.serve.version = flags->newest();
  return graphs(newest);
}

std::optional<double> safe_beside(const Case& c, const Budget* own) {
  const auto gpus = gpus_of_launch(c);
  if (gpus.empty()) return {};
  for (const Gpu* gpu : gpus) {
    if (!gpu->usable.known() || gpu->usable.value() <= Bytes{0}) return {};
  }
  // Estimates of graphs lie far above what graphs take: the middle is bad enough.
  const Bytes outside = taken_before_share(c).high + graphs_beside(c, own).bytes;
  double share = kLargestShare;
  for (const Gpu* gpu : gpus) {
    const Bytes free = free_now(*gpu).value_or(gpu->usable.value()) - outside;
    share = std::min(share, static_cast<double>(free.count()) /
                                static_cast<double>(gpu->usable.value().count()));
  }
  constexpr double kNearly = 1e-9;  // 0.95 is not exact in binary
  return std::max(0.0, std::floor(share * 100 + kNearly) / 100);
}

}  // namespace

Extent graphs_outside_share(const Case& c) { return graphs_beside(c, nullptr); }

std::optional<double> safe_fraction(const Case& c) { return safe_beside(c, nullptr); }

std::optional<double> safe_fraction(const Case& c, const Budget& own) {
  return safe_beside(c, &own);
}

}  // namespace sx
