// Counts of durations between fixed borders, as Prometheus reads them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace sx {

// The borders of vLLM's own histograms of the same names, so that both can be laid over each other.
inline constexpr std::array kFirstTokenSeconds{0.001, 0.005, 0.01, 0.02,  0.04,  0.06,  0.08, 0.1,
                                               0.25,  0.5,   0.75, 1.0,   2.5,   5.0,   7.5,  10.0,
                                               20.0,  40.0,  80.0, 160.0, 640.0, 2560.0};
inline constexpr std::array kPerTokenSeconds{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2,
                                             0.3,  0.4,   0.5,  0.75,  1.0, 2.5,  5.0,
                                             7.5,  10.0,  20.0, 40.0,  80.0};
inline constexpr std::array kRequestSeconds{0.3,  0.5,   0.8,   1.0,   1.5,   2.0,    2.5,
                                            5.0,  10.0,  15.0,  20.0,  30.0,  40.0,   50.0,
                                            60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 7680.0};

class Histogram {
 public:
  explicit constexpr Histogram(std::span<const double> borders) : borders_(borders) {}

  void add(double seconds, std::uint64_t times = 1) {
    const auto at = std::ranges::lower_bound(borders_, seconds) - borders_.begin();
    counts_[static_cast<std::size_t>(at)] += times;
    sum_ += seconds * static_cast<double>(times);
  }
  std::span<const double> borders() const { return borders_; }
  // In the bucket below that border and above the one before; the last is above all.
  std::uint64_t count(std::size_t bucket) const { return counts_[bucket]; }
  double sum() const { return sum_; }

 private:
  static constexpr std::size_t kMostBorders = 24;
  std::span<const double> borders_;
  std::array<std::uint64_t, kMostBorders + 1> counts_{};
  double sum_ = 0;
};
static_assert(kFirstTokenSeconds.size() <= 24 && kPerTokenSeconds.size() <= 24 &&
              kRequestSeconds.size() <= 24);

}  // namespace sx
