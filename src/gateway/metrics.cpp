// One look-up for the series, one search for each histogram.
#include "gateway/metrics.h"

#include <algorithm>

namespace sx {
namespace {

constexpr std::size_t kMostSeries = 4096;
constexpr int kMostStatus = 999;

double seconds_of(GatewayClock::duration time) {
  return std::chrono::duration<double>(time).count();
}

constexpr std::uint64_t packed(std::size_t model, std::size_t path, std::size_t cause,
                               std::size_t status) {
  return (model << 32U) | (path << 24U) | (cause << 16U) | status;
}

}  // namespace

std::size_t GatewayMetrics::model(std::string_view name) {
  const std::size_t index = model_names_.index(name);
  if (index >= models_.size()) models_.resize(index + 1);
  return index;
}

void GatewayMetrics::ended(const RequestRecord& record, std::size_t model, std::string_view path,
                           GatewayClock::time_point now) {
  const auto status = static_cast<std::size_t>(std::clamp(record.status, 0, kMostStatus));
  std::uint64_t series =
      packed(model, path_names_.index(path), cause_names_.index(record.cause), status);
  // Engines choose the status, so there may be many: beyond the bound only how it went is told.
  if (requests_.size() >= kMostSeries && !requests_.contains(series))
    series = packed(0, 0, cause_names_.index(record.cause), 0);
  ++requests_[series];
  if (!record.why.empty()) {
    const std::size_t why = why_names_.index(record.why);
    if (why >= routed_.size()) routed_.resize(why + 1);
    ++routed_[why];
  }
  ModelNumbers& numbers = models_[model];
  numbers.prompt_tokens += record.usage.prompt.value_or(0);
  numbers.answer_tokens += record.usage.answer.value_or(0);
  if (record.waited.count() > 0) numbers.waited.add(seconds_of(record.waited));
  const bool answered = record.status >= 200 && record.status < 300 && record.replica >= 0;
  if (!answered) return;
  if (record.stream && record.events > 0)
    numbers.first_token.add(seconds_of(record.first - record.began));
  if (record.cause.empty()) numbers.whole.add(seconds_of(now - record.began));
}

std::vector<GatewayMetrics::Series> GatewayMetrics::requests() const {
  std::vector<Series> all;
  for (const auto& [key, count] : requests_) {
    all.push_back({.model = key >> 32U,
                   .path = (key >> 24U) & 0xffU,
                   .cause = (key >> 16U) & 0xffU,
                   .status = static_cast<int>(key & 0xffffU),
                   .count = count});
  }
  std::ranges::sort(all, [](const Series& a, const Series& b) {
    return packed(a.model, a.path, a.cause, static_cast<std::size_t>(a.status)) <
           packed(b.model, b.path, b.cause, static_cast<std::size_t>(b.status));
  });
  return all;
}

}  // namespace sx
