// The figures of `bench serve` for people, beside those of an earlier file where one was given.
#pragma once

#include <optional>
#include <string>

#include "diag/message.h"
#include "run/bench_figures.h"

namespace sx {

struct BenchPage {
  const BenchFigures& now;
  const std::optional<BenchFigures>& before;
  Language language = Language::English;
  std::size_t width = 80;
  std::string_view refusal = {};  // LoadTold's
};
std::string bench_page(const BenchPage& page);

// "[####......] 42 %  12 of 30 s, 8 open, 120 answered, 0 failed": for a number of cells.
std::string load_line(const LoadNow& now, const LoadAsk& ask, std::size_t width, Language language);

}  // namespace sx
