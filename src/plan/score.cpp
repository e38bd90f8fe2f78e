// Logarithms of what counts, so that "twice as fast" weighs the same everywhere.
#include "plan/score.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "fit/links.h"

namespace sx {
namespace {

// Our own weights: throughput counts in full, a user's waiting half; a GPU more must pay for
// itself; a plan that fits by best estimate only stands behind those that surely do.
constexpr double kWaiting = 0.5;
constexpr double kOneGpu = 0.005;
constexpr double kDoubt = 0.3, kUnlikely = 2;
// Accuracy is given up for what is nearly three times as good, not for less.
constexpr double kSmallCache = 1;
// A pool that the load nearly fills preempts requests as soon as some are longer than usual.
constexpr double kFull = 0.05, kNearlyFull = 0.8;
// Where nobody said how long requests get: one that is some times as long as usual should pass.
constexpr double kShortContext = 0.3;
constexpr int kLongerThanUsual = 4;
// Where no speed is known: what a wider tensor group, a further stage and a replica bring.
constexpr double kTensorGain = 0.6, kWeakTensorGain = 0.35, kStageGain = 0.25;

double logarithm(double value) { return std::log(std::max(value, 1e-9)); }

bool fast_links(const Draft& draft) {
  const HostSpec& host = draft.bare->host();
  if (!host.links.known()) return !host.gpus.empty() && host.gpus.front().nvlink.value_or(false);
  return std::ranges::all_of(host.links.classes, [](const auto& row) {
    return std::ranges::all_of(
        row, [](const std::string& cell) { return cell == "X" || is_nvlink(cell); });
  });
}

// Relative only.
double guessed_latency_gain(const Draft& draft) {
  const double gain = fast_links(draft) ? kTensorGain : kWeakTensorGain;
  return gain * logarithm(draft.candidate.shape.tensor);
}

double guessed_throughput_gain(const Draft& draft, const PlanAsk& ask) {
  const double share =
      draft.kv_tokens() /
      (static_cast<double>((ask.load.input + ask.load.output).count()) * ask.load.users);
  const LaunchShape& shape = draft.candidate.shape;
  // Users that the pool holds; then how well the GPUs are used.
  return logarithm(std::min(1.0, share)) + guessed_latency_gain(draft) +
         kStageGain * logarithm(shape.pipeline) +
         logarithm(draft.candidate.replicas * shape.ranks) * 0.9;
}

double slowness(const Draft& draft) {
  return draft.speed ? logarithm(draft.speed->tpot_s.mid) : -guessed_latency_gain(draft);
}

double throughput(const Draft& draft, const PlanAsk& ask) {
  return draft.speed ? logarithm(draft.speed->output_tokens_s.mid)
                     : guessed_throughput_gain(draft, ask);
}

double longest(const Draft& draft) {
  return static_cast<double>(draft.fit->budget->longest_possible.count());
}

// The least part of a card that is left when lines turn out badly.
double slack(const Draft& draft) {
  double least = 1;
  for (const GpuBudget& gpu : draft.fit->budget->gpus) {
    if (gpu.capacity <= Bytes{0}) continue;
    least = std::min(least, static_cast<double>(gpu.room_low.count()) /
                                static_cast<double>(gpu.capacity.count()));
  }
  return least;
}

bool short_of_context(const Draft& draft, const PlanAsk& ask) {
  if (ask.context_asked()) return false;
  Tokens wanted = ask.needed() * kLongerThanUsual;
  if (const auto& most = draft.bare->model().max_positions; most.known())
    wanted = std::min(wanted, most.value());
  const Budget& budget = *draft.fit->budget;
  return std::min(budget.longest_possible, budget.max_model_len) < wanted;
}

bool nearly_full(const Draft& draft, const PlanAsk& ask) {
  const auto usual = static_cast<double>((ask.load.input + ask.load.output).count());
  // One longest request that takes most of a replica's pool keeps all others waiting.
  const bool one_fills_it = ask.context_asked() && draft.fit->budget->kv_tokens < ask.needed() * 2;
  return one_fills_it || usual * ask.load.users > kNearlyFull * draft.kv_tokens();
}

}  // namespace

double concurrency(const Draft& draft, const PlanAsk& ask) {
  const Budget& budget = *draft.fit->budget;
  // The engine's own count holds for its own longest request; another length takes another share.
  const double needed = static_cast<double>(std::max<std::int64_t>(1, ask.needed().count()));
  const bool own = budget.max_model_len == ask.needed() && budget.max_concurrency > 0;
  const double one =
      own ? budget.max_concurrency : static_cast<double>(budget.kv_tokens.count()) / needed;
  return one * draft.candidate.replicas * draft.candidate.shape.groups;
}

double cost(const Draft& draft, const PlanAsk& ask) {
  const double extra = kOneGpu * draft.candidate.gpus() + (draft.fit->doubtful ? kDoubt : 0) +
                       (draft.fit->unlikely ? kUnlikely : 0) +
                       (draft.candidate.shape.small_cache ? kSmallCache : 0) +
                       (nearly_full(draft, ask) ? kFull : 0) +
                       (short_of_context(draft, ask) ? kShortContext : 0);
  switch (ask.goal) {
    case Goal::Balanced:
      return extra + kWaiting * slowness(draft) - throughput(draft, ask);
    case Goal::Throughput:
      return extra - throughput(draft, ask);
    case Goal::Latency:
      return extra + slowness(draft);
    case Goal::Context:
      return extra - logarithm(longest(draft)) - 0.1 * logarithm(draft.kv_tokens());
    case Goal::Safest:
      return extra - 3 * slack(draft) + 0.1 * (kWaiting * slowness(draft) - throughput(draft, ask));
  }
  return extra;
}

void sort_best_first(std::vector<Draft>& drafts, const PlanAsk& ask) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < drafts.size(); ++i) order.emplace_back(cost(drafts[i], ask), i);
  std::ranges::sort(order, {}, [&drafts](const auto& entry) {
    const Candidate& candidate = drafts[entry.second].candidate;
    return std::tuple(entry.first, candidate.gpus(), candidate.shape.pipeline, entry.second);
  });
  std::vector<Draft> sorted;
  for (const auto& [value, index] : order) sorted.push_back(std::move(drafts[index]));
  drafts = std::move(sorted);
}

bool beaten(const Draft& draft, const Draft& better, const PlanAsk& ask) {
  constexpr double kSame = 0.01;  // figures are not closer than that
  if (better.fit->doubtful && !draft.fit->doubtful) return false;
  if (better.candidate.shape.small_cache && !draft.candidate.shape.small_cache) return false;
  const bool no_more_gpus = better.candidate.gpus() <= draft.candidate.gpus();
  const bool no_slower = slowness(better) <= slowness(draft) + kSame &&
                         throughput(better, ask) >= throughput(draft, ask) - kSame;
  const bool no_slower_alone =
      !draft.alone || !better.alone ||
      logarithm(better.alone->tpot_s.mid) <= logarithm(draft.alone->tpot_s.mid) + kSame;
  const bool no_less_room =
      better.kv_tokens() >= 0.95 * draft.kv_tokens() && longest(better) >= 0.95 * longest(draft);
  return no_more_gpus && no_slower && no_slower_alone && no_less_room;
}

}  // namespace sx
