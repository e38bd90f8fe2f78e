// What `sextant learn` found: the engine's own numbers beside ours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diag/render.h"
#include "facts/learned.h"
#include "fit/budget.h"
#include "logs/memory_log.h"

namespace sx {

// One line of one GPU; either side may be unknown.
struct ComparedLine {
  int gpu = 0;
  std::string_view name;  // of the budget, "graphs_pool" for what capturing really took
  std::optional<Bytes> predicted, real;
  const MemoryReading* reading = nullptr;  // where the real number stands
};

struct ComparedCount {
  std::optional<double> predicted, real;
  const MemoryReading* reading = nullptr;
};

struct Learned {
  MemoryLog log;
  std::vector<std::string> names;    // of the logs
  std::vector<std::string> damaged;  // those whose packed bytes end too early or are damaged
  std::string engine, version;
  std::string command;                // one line; empty: the log does not tell, and none was given
  bool from_log = false;              // the command is the log's own
  std::vector<std::string> left_out;  // settings of the log that no flag stands for
  Message no_prediction;              // why there are no predicted numbers; empty: there are
  std::vector<ComparedLine> lines;
  ComparedCount kv_tokens, max_concurrency;
  std::string stored;  // the file; empty: nothing was kept
  Both not_stored;     // why
};

// The numbers of the log, by GPU, beside the budget's; `tensor` ranks a stage. Readings of other
// replicas are left out.
void compare(Learned& learned, const Budget* budget, int tensor, int ranks);

// What is worth keeping of it.
LearnedRun run_of(const Learned& learned);

// Percent by which the prediction is above what was real; empty: one of them is unknown or nothing.
std::optional<double> percent_over(std::optional<double> predicted, std::optional<double> real);

std::string learn_text(const Learned& learned, const Style& style);
std::string learn_json(const Learned& learned);

}  // namespace sx
