// What a measured load comes to: percentiles with their spread, failures by kind, and whether two
// measurements differ by more than they vary in themselves.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/load_client.h"

namespace sx {

// Of one kind of figure. `slices`: its middle (of a rate: itself) in each part of the window that
// had any; how far they lie apart is how sure the whole is.
struct Figure {
  std::optional<double> p50, p90, p99, mean;
  std::vector<double> slices;
  bool operator==(const Figure&) const = default;
};

struct BenchFigures {
  // Under which conditions: two measurements can be compared when these are the same.
  std::string address, model;
  int users = 0, prompt_tokens = 0, output_tokens = 0;
  double seconds = 0, warm_up_seconds = 0;
  std::uint64_t seed = 0;
  std::int64_t unix_ms = 0;

  std::int64_t measured = 0, failed = 0, in_warm_up = 0;
  std::map<std::string, std::int64_t> failures;
  std::optional<double> prompt_mean, output_mean;  // tokens of a request
  bool counted_by_engine = true;                   // else by events
  double client_cpu = 0;                           // of one core
  Figure ttft_ms, tpot_ms, latency_ms, output_tok_s, requests_s;
};

BenchFigures figures_of(const LoadAsk& ask, const LoadTold& told);

// Schema sextant.bench/1 (docs/BENCH.md).
std::string figures_json(const BenchFigures& figures, std::string_view version);
Result<BenchFigures> read_figures(std::string_view json);

enum class Difference { Better, Worse, None, Unknown };
// Means of the slices further apart than three standard errors of their difference, and than a
// percent. Unknown where either has fewer than three slices.
Difference difference_of(const Figure& before, const Figure& after, bool less_is_better);
// "users 8, 16": conditions that differ, in words; empty: none.
std::vector<Both> different_conditions(const BenchFigures& before, const BenchFigures& after);

// The value that so large a part lies at or below (nearest rank); empty for no values.
std::optional<double> percentile(std::vector<double> values, double part);

}  // namespace sx
