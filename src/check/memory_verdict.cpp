// Certain breaks first, the most fundamental one first; then what the best estimate breaks; then
// what only bad luck breaks.
#include "check/memory_verdict.h"

#include <algorithm>
#include <cmath>

#include "check/case_once.h"
#include "facts/need.h"
#include "knowledge/traits.h"

namespace sx {
namespace {

void add(Extent& sum, const BudgetLine* line) {
  if (line == nullptr) return;
  sum.bytes += line->bytes;
  sum.low += line->low;
  sum.high += line->high;
}

// What is left when the lines turn out as bad as eight of ten machines show together.
Bytes cautious_room(const GpuBudget& gpu) {
  double squares = 0;
  for (const BudgetLine& line : gpu.lines) {
    if (line.name == "kv_cache" || line.name == "state") continue;
    const auto worse = static_cast<double>((line.high - line.bytes).count());
    squares += worse * worse;
  }
  return gpu.room - Bytes{static_cast<std::int64_t>(std::sqrt(squares))};
}

// Blocks are of one size: tokens follow the room of the GPU that holds the fewest.
Tokens cautious_tokens(const Budget& budget) {
  double best = INFINITY, cautious = INFINITY;
  for (const GpuBudget& gpu : budget.gpus) {
    if (gpu.bytes_per_token <= 0) continue;
    const auto token = static_cast<double>(gpu.bytes_per_token);
    best = std::min(best, static_cast<double>(gpu.room.count()) / token);
    cautious = std::min(cautious, static_cast<double>(cautious_room(gpu).count()) / token);
  }
  if (!std::isfinite(best) || best <= 0 || cautious <= 0) return {};
  return Tokens{
      static_cast<std::int64_t>(static_cast<double>(budget.kv_tokens.count()) * cautious / best)};
}

// The GPU that lacks most of something.
template <class Missing>
std::size_t worst(const Budget& budget, Missing missing) {
  std::size_t found = 0;
  for (std::size_t i = 1; i < budget.gpus.size(); ++i) {
    if (missing(budget.gpus[i]) > missing(budget.gpus[found])) found = i;
  }
  return found;
}

class Judge {
 public:
  Judge(const Case& c, const Budget& budget) : case_(c), budget_(budget) {
    pool_ = std::max(c.serve.kv_cache_bytes.value_or(Bytes{0}), Bytes{0});
    heaviest_ = worst(
        budget_, [this](const GpuBudget& gpu) { return weights_of(gpu).bytes - share(gpu).bytes; });
    least_ = cautious_tokens(budget_);
    tightest_ = worst(budget_, [](const GpuBudget& gpu) { return -gpu.room; });
    // Tokens are counted where a token's bytes fill the room soonest.
    fewest_ = worst(budget_, [](const GpuBudget& gpu) {
      return gpu.bytes_per_token == 0 ? INT64_MIN : -gpu.kv_bytes.count() / gpu.bytes_per_token;
    });
  }

  // Which of the three it is, the best estimate says; how surely the launch fails, the band of all
  // three.
  std::optional<MemoryFault> fault() const {
    const GpuBudget& heavy = budget_.gpus[heaviest_];
    const Extent weights = weights_of(heavy), limit = share(heavy);
    if (pool_ > Bytes{0}) return of_given_pool(weights, limit);
    // The number of blocks is the user's: the room does not decide it.
    const bool counted = case_.serve.use_of("--num-gpu-blocks-override") == nullptr;
    const GpuBudget& tight = budget_.gpus[tightest_];
    const bool too_heavy = weights.low > limit.high;
    const bool certain = too_heavy || (counted && (none(tight.room_high, budget_.kv_tokens_high) ||
                                                   short_of(budget_.kv_tokens_high)));
    // Where weights alone may still fit and the sum of everything surely does not, it is the room.
    if (weights.bytes > limit.bytes && (too_heavy || !certain))
      return said(MemoryBreak::Weights, certain, heaviest_);
    if (!counted) return {};
    if (none(tight.room, budget_.kv_tokens)) return said(MemoryBreak::NoRoom, certain, tightest_);
    if (short_of(budget_.kv_tokens)) return said(MemoryBreak::TooShort, certain, fewest_);
    if (short_of(least_)) return said(MemoryBreak::TooShort, false, fewest_);
    if (none(cautious_room(tight), least_)) return said(MemoryBreak::NoRoom, false, tightest_);
    return {};
  }

 private:
  // With a pool of a given size the fraction decides nothing: all of the card may be used.
  Extent share(const GpuBudget& gpu) const {
    if (pool_ > Bytes{0}) return {gpu.capacity, gpu.capacity, gpu.capacity};
    return share_of(gpu);
  }

  // A model without attention layers has no blocks to run out of.
  bool has_blocks() const {
    return std::ranges::any_of(budget_.gpus,
                               [](const GpuBudget& gpu) { return gpu.bytes_per_token > 0; });
  }
  bool none(Bytes room, Tokens tokens) const {
    return room <= Bytes{0} || (has_blocks() && tokens <= Tokens{0});
  }
  bool short_of(Tokens tokens) const {
    return has_blocks() && !case_.serve.max_model_len_auto.value_or(false) &&
           tokens < budget_.request_tokens;
  }

  // Such sizes are mostly what the engine itself advised to the megabyte: only the best estimate
  // counts against them.
  std::optional<MemoryFault> of_given_pool(const Extent& weights, const Extent& limit) const {
    if (weights.bytes > limit.bytes)
      return said(MemoryBreak::Weights, weights.low > limit.high, heaviest_);
    const GpuBudget& tight = budget_.gpus[tightest_];
    const Extent spent = spent_before_cache(tight);
    if (spent.bytes + pool_ > tight.capacity) {
      return said(MemoryBreak::NoRoom, spent.low + pool_ > tight.capacity, tightest_);
    }
    if (short_of(budget_.kv_tokens)) return said(MemoryBreak::TooShort, true, fewest_);
    return {};
  }

  MemoryFault said(MemoryBreak what, bool certain, std::size_t gpu) const {
    return {.what = what,
            .certain = certain,
            .gpu = gpu,
            .share = share(budget_.gpus[gpu]),
            .asked_pool = pool_,
            .least_tokens = least_};
  }

  const Case& case_;
  const Budget& budget_;
  Bytes pool_;
  Tokens least_;
  std::size_t heaviest_ = 0, tightest_ = 0, fewest_ = 0;
};

}  // namespace

bool starts_below_context(const ServeSpec& serve) {
  return trait(serve.engine, "pool-below-context", serve.version) == "starts";
}

bool stands_in_the_way(const Case& c, const MemoryFault& fault) {
  return fault.what != MemoryBreak::TooShort || c.serve.max_model_len.asked() ||
         !starts_below_context(c.serve);
}

Extent share_of(const GpuBudget& gpu) {
  const BudgetLine* unused = gpu.line("unused");
  if (unused == nullptr) return {gpu.capacity, gpu.capacity, gpu.capacity};
  return {gpu.capacity - unused->bytes, gpu.capacity - unused->high, gpu.capacity - unused->low};
}

Extent weights_of(const GpuBudget& gpu) {
  Extent sum;
  add(sum, gpu.line("weights"));
  add(sum, gpu.line("draft"));
  return sum;
}

Extent spent_before_cache(const GpuBudget& gpu) {
  Extent sum = weights_of(gpu);
  add(sum, gpu.line("activations"));
  add(sum, gpu.line("graphs"));
  add(sum, gpu.line("runtime"));
  return sum;
}

std::optional<Budget> budget_of(const Case& c) {
  CaseOnce* once = CaseOnce::of(c);
  return once == nullptr ? budget_now(c) : once->budget();
}

std::optional<MemoryVerdict> memory_verdict(const Case& c) {
  if (!met(Need::MemoryBudget, c)) return {};
  if (CaseOnce* once = CaseOnce::of(c)) {
    // Most launches are all right: only what breaks takes a budget of its own along.
    const auto& fault = once->fault();
    return fault ? std::optional(MemoryVerdict{*fault, *once->budget()}) : std::nullopt;
  }
  auto budget = budget_of(c);
  if (!budget) return {};
  const auto fault = memory_fault(c, *budget);
  return fault ? std::optional(MemoryVerdict{*fault, std::move(*budget)}) : std::nullopt;
}

std::optional<MemoryFault> memory_fault(const Case& c, const Budget& budget) {
  if (!c.model().generates.value_or(true)) return {};  // no decoder, no KV cache
  if (budget.gpus.empty()) return {};
  return Judge(c, budget).fault();
}

}  // namespace sx
