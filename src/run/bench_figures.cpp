// Percentiles by nearest rank; spread from the parts of the window.
#include "run/bench_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "diag/message.h"

namespace sx {
namespace {

constexpr std::size_t kFewestSlices = 3;
constexpr double kErrors = 3;    // five slices are few: two standard errors would cry wolf
constexpr double kLeast = 0.01;  // less than a percent is nothing that anybody notices
constexpr double kMillis = 1000;

constexpr Text kDiffers{"{what}: {before}, now {after}", "{what}：此前 {before}，现在 {after}"};
constexpr Text kUsers{"users", "并发用户"};
constexpr Text kPrompt{"prompt tokens", "提示词 token"};
constexpr Text kOutput{"output tokens", "输出 token"};
constexpr Text kModel{"model", "模型"};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The square of the standard error of the mean.
double error_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  const auto count = static_cast<double>(values.size());
  return sum / (count - 1) / count;
}

struct Taken {
  double value, began;
};

Figure figure_of(const std::vector<Taken>& all, double seconds) {
  Figure figure;
  if (all.empty()) return figure;
  std::vector<double> values;
  std::array<std::vector<double>, kLoadSlices> parts;
  const double part = seconds / static_cast<double>(kLoadSlices);
  for (const Taken& one : all) {
    values.push_back(one.value);
    const auto at = static_cast<std::size_t>(std::max(0.0, one.began / part));
    parts.at(std::min(at, kLoadSlices - 1)).push_back(one.value);
  }
  for (std::vector<double>& slice : parts) {
    if (const auto middle = percentile(std::move(slice), 0.5)) figure.slices.push_back(*middle);
  }
  figure.mean = mean_of(values);
  figure.p50 = percentile(values, 0.5);
  figure.p90 = percentile(values, 0.9);
  figure.p99 = percentile(std::move(values), 0.99);
  return figure;
}

Figure rate_of(const std::array<double, kLoadSlices>& counts, double seconds) {
  Figure figure;
  const double part = seconds / static_cast<double>(kLoadSlices);
  for (const double count : counts) figure.slices.push_back(count / part);
  figure.mean = mean_of(figure.slices);
  return figure;
}

void add_condition(std::vector<Both>& all, Text what, const std::string& before,
                   const std::string& after) {
  if (before != after)
    all.push_back(in_both({kDiffers, {{"what", what}, {"before", before}, {"after", after}}}));
}

}  // namespace

std::optional<double> percentile(std::vector<double> values, double part) {
  if (values.empty()) return std::nullopt;
  const double rank = std::ceil(part * static_cast<double>(values.size()));
  const auto at = static_cast<std::ptrdiff_t>(std::max(1.0, rank)) - 1;
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

BenchFigures figures_of(const LoadAsk& ask, const LoadTold& told) {
  using Seconds = std::chrono::duration<double>;
  BenchFigures figures{.address = (ask.tls ? "https://" : "http://") + place_of(ask),
                       .model = ask.model,
                       .users = ask.users,
                       .prompt_tokens = ask.prompt_tokens,
                       .output_tokens = ask.output_tokens,
                       .seconds = told.seconds,
                       .warm_up_seconds = Seconds(ask.warm_up).count(),
                       .seed = ask.seed,
                       .failures = {},
                       .client_cpu = told.client_cpu};
  std::vector<Taken> ttft, tpot, latency, prompts, outputs;
  std::array<double, kLoadSlices> ended{};
  for (const LoadSample& one : told.samples) {
    if (one.began < 0) {
      ++figures.in_warm_up;
      continue;
    }
    if (!one.failure.empty()) {
      ++figures.failed;
      ++figures.failures[one.failure];
      continue;
    }
    ++figures.measured;
    ttft.push_back({(one.first - one.began) * kMillis, one.began});
    latency.push_back({(one.last - one.began) * kMillis, one.began});
    if (one.tokens > 1)
      tpot.push_back({(one.last - one.first) * kMillis / (one.tokens - 1), one.began});
    outputs.push_back({static_cast<double>(one.tokens), one.began});
    if (one.prompt_tokens >= 0)
      prompts.push_back({static_cast<double>(one.prompt_tokens), one.began});
    figures.counted_by_engine = figures.counted_by_engine && one.counted_by_engine;
    const double part = told.seconds / static_cast<double>(kLoadSlices);
    if (one.last < told.seconds)
      ended.at(std::min(kLoadSlices - 1, static_cast<std::size_t>(one.last / part))) += 1;
  }
  figures.counted_by_engine = figures.counted_by_engine && figures.measured > 0;
  figures.ttft_ms = figure_of(ttft, told.seconds);
  figures.tpot_ms = figure_of(tpot, told.seconds);
  figures.latency_ms = figure_of(latency, told.seconds);
  figures.prompt_mean = figure_of(prompts, told.seconds).mean;
  figures.output_mean = figure_of(outputs, told.seconds).mean;
  if (figures.measured > 0) {
    figures.output_tok_s = rate_of(told.slice_tokens, told.seconds);
    figures.requests_s = rate_of(ended, told.seconds);
  }
  return figures;
}

Difference difference_of(const Figure& before, const Figure& after, bool less_is_better) {
  if (before.slices.size() < kFewestSlices || after.slices.size() < kFewestSlices)
    return Difference::Unknown;
  const double then = mean_of(before.slices), now = mean_of(after.slices);
  const double apart = std::abs(now - then);
  const double error = std::sqrt(error_of(before.slices) + error_of(after.slices));
  if (apart <= kErrors * error || apart <= kLeast * std::abs(then)) return Difference::None;
  return (now < then) == less_is_better ? Difference::Better : Difference::Worse;
}

std::vector<Both> different_conditions(const BenchFigures& before, const BenchFigures& after) {
  std::vector<Both> all;
  add_condition(all, kUsers, std::to_string(before.users), std::to_string(after.users));
  add_condition(all, kPrompt, std::to_string(before.prompt_tokens),
                std::to_string(after.prompt_tokens));
  add_condition(all, kOutput, std::to_string(before.output_tokens),
                std::to_string(after.output_tokens));
  add_condition(all, kModel, before.model, after.model);
  return all;
}

}  // namespace sx
