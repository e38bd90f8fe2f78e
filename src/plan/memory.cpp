// Defaults first: each choice must earn its place in the command.
#include "plan/memory.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "check/free_memory.h"
#include "check/memory_fixes.h"
#include "engines/engine.h"
#include "facts/need.h"
#include "plan/stages.h"

namespace sx {
namespace {

constexpr double kWorthSaying = 1.10;  // a choice that buys less is noise beside the estimates
constexpr int kFewestSequences = 16;   // fewer would be felt as soon as a few users come
constexpr Tokens kShortStep{2048};     // shorter steps of prefill cost more than they free

// A context that only may fit is shortened by a quarter so many times.
constexpr int kShorterTries = 6;

bool holds_load(const Fitted& fit, const RoomAsk& ask) {
  return fit.fits && fit.kv_tokens() >= ask.usual * ask.at_once;
}

// What is chosen must surely do: a command of ours is no gamble.
bool better(const Fitted& now, const Fitted& before) {
  if (!now.fits || (now.doubtful && !before.fits)) return false;
  if (!before.fits || (before.doubtful && !now.doubtful)) return true;
  return static_cast<double>(now.kv_tokens().count()) >=
         kWorthSaying * static_cast<double>(before.kv_tokens().count());
}

// Bytes that the longest request takes of a GPU's pool, at least.
double needed_on(const GpuBudget& gpu, Tokens longest) {
  return static_cast<double>(gpu.bytes_per_token) * static_cast<double>(longest.count());
}

// Whether all that settings can free would be enough for one longest request, of whose bytes so
// large a part must be there.
bool may_come_to_fit(const Case& launch, const Fitted& fit, Tokens longest, double part = 1) {
  const double now = fraction_in_force(launch).value_or(1);
  const double more = std::max(0.0, safe_fraction(launch, *fit.budget).value_or(now) - now);
  return std::ranges::all_of(fit.budget->gpus, [&](const GpuBudget& gpu) {
    const BudgetLine* step = gpu.line("activations");
    const double freed = more * static_cast<double>(gpu.capacity.count()) +
                         (step == nullptr ? 0 : static_cast<double>(step->high.count()));
    return static_cast<double>(gpu.room_high.count()) + freed >= part * needed_on(gpu, longest);
  });
}

// Whether layers dealt out otherwise could be enough: what some stages lack, others must have.
bool may_be_evened_out(const Budget& budget, Tokens longest) {
  double room = 0, need = 0;
  for (const GpuBudget& gpu : budget.gpus) {
    room += static_cast<double>(gpu.room_high.count());
    need += needed_on(gpu, longest);
  }
  return room >= need;
}

// Settings that free memory, mildest first, each on top of those before.
std::vector<LaunchSettings> ways_to_free(const Case& launch, const Fitted& fit,
                                         const RoomAsk& ask) {
  std::vector<LaunchSettings> ways;
  LaunchSettings now = fit.settings;
  const int enough = static_cast<int>(
      std::bit_ceil(static_cast<unsigned>(std::max(ask.at_once, kFewestSequences))));
  if (enough < fit.budget->max_num_seqs) {
    now.max_num_seqs = enough * ask.groups;
    ways.push_back(now);
  }
  if (fit.budget->max_batched_tokens > kShortStep) {
    now.max_batched_tokens = kShortStep * ask.groups;
    ways.push_back(now);
  }
  const auto share = fraction_in_force(launch);
  const auto most = safe_fraction(launch, *fit.budget);
  if (share && most && *most > *share) {
    now.share_hundredths = static_cast<int>(std::lround(*most * 100));
    ways.push_back(now);
  }
  return ways;
}

// Whether a card of the launch has less free than its share, once the launch holds what it takes
// before.
bool less_is_free_than(const Case& launch, double share) {
  const Bytes before = taken_before_share(launch).high;
  return std::ranges::any_of(gpus_of_launch(launch), [&](const Gpu* gpu) {
    const auto free = free_now(*gpu);
    if (!free || !gpu->usable.known()) return false;
    const double wanted = share * static_cast<double>(gpu->usable.value().count());
    return static_cast<double>((*free - before).count()) < wanted;
  });
}

// Whether others leave so little of a card that the launch's own share would be refused.
bool share_is_not_free(const Case& launch) {
  const bool told =
      std::ranges::any_of(launch.host().gpus, [](const Gpu& gpu) { return gpu.used.known(); });
  if (!told) return false;
  const auto share = fraction_in_force(launch);
  return share && refuses_less_than_share(launch) && less_is_free_than(launch, *share);
}

// Whether layers dealt out otherwise surely could not help either: all GPUs together lack room for
// the weights.
bool too_heavy_for_all(const Budget& budget) {
  Bytes room;
  for (const GpuBudget& gpu : budget.gpus) room += share_of(gpu).high - weights_of(gpu).low;
  return room < Bytes{0};
}

// Where the weights alone are surely too much, no setting helps, and nothing else is worked out.
// Nothing: it may fit, or only the whole budget tells.
std::optional<Fitted> too_heavy(const SizedLaunch& sized, const LaunchSettings& settings) {
  const Case* launch = sized.tried == nullptr ? nullptr : sized.tried->with(sized.gpus, settings);
  if (launch == nullptr) return {};
  const Engine* engine = find_engine(launch->serve.engine);
  const auto layout = layout_of(launch->serve);
  if (engine == nullptr || engine->weights_alone == nullptr || !layout) return {};
  if (!met(Need::MemoryBudget, *launch)) return {};
  auto budget = engine->weights_alone(*launch, *layout);
  const auto fault = budget ? memory_fault(*launch, *budget) : std::nullopt;
  if (!fault || fault->what != MemoryBreak::Weights) return {};
  if (weights_of(budget->gpus[fault->gpu]).low <= fault->share.high) return {};
  if (sized.shape.pipeline > 1 && !too_heavy_for_all(*budget)) return {};
  if (share_is_not_free(*launch)) return {};
  return Fitted{.sayable = true,
                .settings = settings,
                .budget = std::make_shared<const Budget>(*std::move(budget)),
                .hopeless = true,
                .broken = fault->what,
                .gpus = sized.gpus};
}

class Chooser {
 public:
  Chooser(const SizedLaunch& sized, const RoomAsk& ask) : sized_(sized), ask_(ask) {}

  Fitted run() {
    LaunchSettings settings;
    settings.fp8_cache = ask_.fp8_cache;
    if (ask_.longest_asked) settings.max_model_len = ask_.longest;
    if (sized_.likely_hopeless) {
      if (auto heavy = too_heavy(sized_, settings)) return *std::move(heavy);
    }
    Fitted fit = with_all_users(beside_others(said(settings)));
    if (!fit.budget || fit.hopeless) return with_better_stages(std::move(fit));
    if (holds_load(fit, ask_)) return with_better_stages(std::move(fit));
    if (ask_.longest_asked) return with_better_stages(with_choices(std::move(fit)));
    // Nobody asked for the model's whole context: what the load needs comes first.
    LaunchSettings shorter = fit.settings;
    shorter.max_model_len = ask_.longest;
    Fitted least = with_better_stages(with_choices(said(shorter)));
    if (!least.fits) return least;
    if (fit.fits && !fit.doubtful && !better(least, fit)) return with_better_stages(std::move(fit));
    return lengthened(std::move(least));
  }

 private:
  const Case& of(const Fitted& fit) const { return launch_of(sized_.tried, fit); }

  Fitted said(LaunchSettings settings, std::shared_ptr<const Budget> known = nullptr) const {
    const bool smaller = settings.share_hundredths > 0 && settings.share_hundredths == beside_;
    Fitted fit = as_said(sized_, std::move(settings), ask_.longest, std::move(known));
    fit.beside_others = smaller;
    return fit;
  }

  // Where others hold memory of a card, the share is what they leave, if that is less.
  Fitted beside_others(Fitted fit) {
    if (!fit.budget) return fit;
    const Case& launch = of(fit);
    if (!share_is_not_free(launch)) return fit;
    const auto share = fraction_in_force(launch);
    const auto most = safe_fraction(launch, *fit.budget);
    if (!most || *most >= *share || *most <= 0) return fit;
    LaunchSettings settings = fit.settings;
    beside_ = settings.share_hundredths = static_cast<int>(std::lround(*most * 100));
    Fitted smaller = said(settings);
    return smaller.budget ? smaller : fit;
  }

  // More users than the default lets run at once.
  Fitted with_all_users(Fitted fit) const {
    if (!fit.budget || fit.hopeless || fit.budget->max_num_seqs <= 0 ||
        ask_.at_once <= fit.budget->max_num_seqs)
      return fit;
    LaunchSettings settings = fit.settings;
    settings.max_num_seqs = ask_.at_once * ask_.groups;
    Fitted more = said(settings);
    more.more_sequences = true;
    return more.sayable && (more.fits || !fit.fits) ? more : fit;
  }

  Fitted with_choices(Fitted fit) const {
    if (!fit.budget || fit.hopeless) return fit;
    if (!fit.fits && !may_come_to_fit(of(fit), fit, ask_.longest)) return fit;
    const std::vector<LaunchSettings> ways = ways_to_free(of(fit), fit, ask_);
    for (const LaunchSettings& settings : ways) {
      if (holds_load(fit, ask_)) break;
      Fitted other = said(settings);
      if (other.budget && better(other, fit)) fit = std::move(other);
    }
    return fit;
  }

  Fitted with_better_stages(Fitted fit) const {
    if (sized_.shape.pipeline < 2 || !fit.budget) return fit;
    if (!fit.fits && !may_be_evened_out(*fit.budget, ask_.longest)) return fit;
    const auto split = better_stages(of(fit), *fit.budget);
    if (!split) return fit;
    LaunchSettings settings = fit.settings;
    settings.partition = split->layers;
    Fitted other = said(std::move(settings), split->budget);
    if (!other.budget || other.fits < fit.fits) return fit;
    if (!worth_it(fit.kv_tokens(), other.kv_tokens())) return fit;
    other.notes.push_back(stages_note(*split, fit.kv_tokens(), other.kv_tokens()));
    return other;
  }

  // As long a context as surely fits.
  Fitted lengthened(Fitted least) const {
    Tokens length = least.budget->longest_possible;
    if (const auto& most = sized_.bare.model().max_positions; most.known())
      length = std::min(length, most.value());
    length = rounded_down(length);
    for (int i = 0; i < kShorterTries && length > ask_.longest; ++i) {
      LaunchSettings settings = least.settings;
      settings.max_model_len = length;
      Fitted longer = said(settings);
      longer.notes = least.notes;
      if (longer.fits && !longer.doubtful) return longer;
      length = rounded_down(length * 3 / 4);
    }
    return least;
  }

  const SizedLaunch& sized_;
  const RoomAsk& ask_;
  int beside_ = 0;  // hundredths of each card that others leave; 0: the usual share is there
};

}  // namespace

bool surely_holds(const Fitted& fit, const RoomAsk& ask) {
  return !fit.doubtful && holds_load(fit, ask);
}

bool small_cache_could_do(const Case& launch, const Fitted& fit, const RoomAsk& ask) {
  constexpr double kHalf = 0.5;
  constexpr double kMostGain = 2.5;  // twice the tokens, and some by what is chosen beside
  if (!fit.budget || fit.hopeless || surely_holds(fit, ask)) return false;
  if (!fit.fits || fit.doubtful) return may_come_to_fit(launch, fit, ask.longest, kHalf);
  return kMostGain * static_cast<double>(fit.kv_tokens().count()) >=
         static_cast<double>((ask.usual * ask.at_once).count());
}

const Case& launch_of(TriedLaunch* tried, const Fitted& fit) {
  if (fit.in_words) return *fit.in_words;
  const Case* launch = tried == nullptr ? nullptr : tried->with(fit.gpus, fit.settings);
  SX_ASSERT(launch != nullptr);
  return *launch;
}

Fitted as_said(const SizedLaunch& sized, LaunchSettings settings, Tokens longest,
               std::shared_ptr<const Budget> known) {
  Fitted fit;
  fit.settings = std::move(settings);
  fit.gpus = sized.gpus;
  // In values where that can be, else in words.
  const Case* said = sized.tried == nullptr ? nullptr : sized.tried->with(sized.gpus, fit.settings);
  if (said == nullptr) {
    auto read = launch_on(sized.bare, sized.shape, fit.settings, sized.gpus);
    if (!read) return fit;
    fit.in_words = std::make_shared<const Case>(*std::move(read));
    said = fit.in_words.get();
  }
  fit.sayable = true;
  const Case& c = *said;
  const Engine* engine = find_engine(c.serve.engine);
  const auto layout = layout_of(c.serve);
  if (engine == nullptr || !layout || !met(Need::MemoryBudget, c)) {
    fit.why_unknown = why_not(Need::MemoryBudget, c);
    return fit;
  }
  // What was learned of a run is only found by its own words.
  if (known != nullptr && !fit.in_words) {
    fit.budget = std::move(known);
  } else {
    auto budget = engine->budget(c, *layout);
    if (!budget) {
      fit.why_unknown = budget.error().why;
      return fit;
    }
    fit.budget = std::make_shared<const Budget>(std::move(*budget));
  }
  const auto fault = memory_fault(c, *fit.budget);
  const bool stands = fault && stands_in_the_way(c, *fault);
  fit.doubtful = stands && !fault->certain;
  fit.hopeless = stands && fault->certain && fault->what == MemoryBreak::Weights;
  const bool holds = fit.budget->longest_possible >= longest;
  fit.unlikely = fit.doubtful && !holds;
  fit.fits = fit.doubtful || (!stands && holds);
  if (stands) fit.broken = fault->what;
  return fit;
}

Fitted fitted(const SizedLaunch& sized, const RoomAsk& ask) { return Chooser(sized, ask).run(); }

}  // namespace sx
