// llama.cpp: one process, its layers over all GPUs that it sees, and a cache whose size it is told:
// the context of one request times the slots.
#include <algorithm>
#include <cmath>

#include "check/memory_fixes.h"
#include "plan/memory.h"

namespace sx {
namespace {

constexpr int kMostSlots = 64;  // more share one card's kernels to nobody's gain
constexpr int kShorterTries = 6;

// In whole GiB of each card; nothing where they are alike.
std::vector<int> shares_of(const HostSpec& host, const std::vector<int>& gpus) {
  std::vector<int> shares;
  for (const int index : gpus) {
    const auto gpu = std::ranges::find(host.gpus, index, &Gpu::index);
    if (gpu == host.gpus.end() || !gpu->usable.known()) return {};
    const Bytes free = gpu->usable.value() - gpu->used.value_or(Bytes{0});
    shares.push_back(std::max(1, static_cast<int>(std::lround(in_gib(free)))));
  }
  const bool alike =
      std::ranges::all_of(shares, [&](int share) { return share == shares.front(); });
  return alike ? std::vector<int>{} : shares;
}

// It fits when the cache that was asked for is there, whole.
Fitted judged_by_pool(Fitted fit, Tokens asked) {
  if (!fit.budget) return fit;
  const bool room = fit.budget->tightest().room >= Bytes{0};
  fit.fits = room && fit.budget->kv_tokens >= asked;
  fit.doubtful = fit.fits && fit.budget->kv_tokens_low < asked;
  fit.unlikely = fit.hopeless = false;
  fit.broken.reset();
  return fit;
}

}  // namespace

Fitted fitted_by_layers(const SizedLaunch& sized, const RoomAsk& ask) {
  const auto with = [&](int slots, Tokens length) {
    LaunchSettings settings;
    settings.fp8_cache = ask.fp8_cache;
    settings.max_num_seqs = slots;
    settings.max_model_len = length * slots;
    settings.shares = shares_of(sized.bare.host(), sized.gpus);
    const Tokens asked = settings.max_model_len;
    return judged_by_pool(as_said(sized, std::move(settings), Tokens{0}), asked);
  };
  Fitted fit;
  int slots = std::clamp(ask.at_once, 1, kMostSlots);
  for (;; slots = (slots + 1) / 2) {
    fit = with(slots, ask.longest);
    if ((fit.fits && !fit.doubtful) || slots == 1 || !fit.budget) break;
  }
  if (!fit.fits || fit.doubtful || ask.longest_asked) return fit;
  Tokens length = sized.bare.model().max_positions.value_or(ask.longest);
  for (int i = 0; i < kShorterTries && length > ask.longest; ++i) {
    Fitted longer = with(slots, rounded_down(length));
    if (longer.fits && !longer.doubtful) return longer;
    length = rounded_down(length / 2);
  }
  return fit;
}

}  // namespace sx
