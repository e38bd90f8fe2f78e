// Which number of the log stands for which line of the budget, and on which GPU.
#include <algorithm>
#include <array>
#include <map>

#include "base/strings.h"
#include "cli/learn_answer.h"
#include "knowledge/traits.h"

namespace sx {
namespace {

// A line of the budget and the readings that make it up.
struct Meaning {
  std::string_view line;
  std::array<std::string_view, 2> readings;  // added up; an empty one is none
};
constexpr std::array<Meaning, 7> kMeanings{{
    {"weights", {"weights", ""}},
    {"activations", {"activations", ""}},
    {"graphs", {"graphs_estimate", ""}},
    {"graphs_pool", {"graphs", ""}},
    {"runtime", {"non_torch", ""}},
    {"state", {"state", "state_ssm"}},
    {"kv_cache", {"kv", "kv_values"}},
}};

// An engine that estimates none takes graphs as they really are out of the part that its pool
// leaves.
bool graphs_are_real(std::string_view engine) {
  return trait(engine, "graphs-in-log", Version{}) != "estimated";
}

// "CUDA0" → 0; memory of the host is no GPU's.
int index_of_device(const std::string& device) {
  const auto digits = device.find_last_not_of("0123456789");
  if (device.empty() || digits == std::string::npos || digits + 1 == device.size()) return -1;
  if (device.starts_with("CPU") || device.find("Host") != std::string::npos) return -1;
  const auto index = to_integer(std::string_view(device).substr(digits + 1));
  constexpr long long kMost = 1'024;
  return index && *index < kMost ? static_cast<int>(*index) : -1;
}

// The GPU of the replica that a reading is about; -1: none, or another replica's.
int gpu_of(const MemoryReading& reading, std::string_view engine, int tensor, int ranks) {
  if (engine == "llamacpp") return index_of_device(reading.device);
  const LogProcess& process = reading.process;
  if (process.data > 0) return -1;
  if (process.rank >= 0) return process.rank;
  if (process.tensor < 0 && process.pipeline < 0) {
    // Workers without a number in their names cannot be told apart.
    const bool nameless_worker = process.name.starts_with("VllmWorkerProcess");
    return ranks == 1 || !nameless_worker ? 0 : -1;
  }
  return std::max(0, process.pipeline) * tensor + std::max(0, process.tensor);
}

struct Sum {
  double bytes = 0;
  const MemoryReading* reading = nullptr;
};

void add_real(std::map<std::pair<int, std::string_view>, Sum>& sums, const Learned& learned,
              int tensor, int ranks) {
  for (const MemoryReading& reading : learned.log.readings) {
    for (const Meaning& meaning : kMeanings) {
      if (std::ranges::find(meaning.readings, reading.name) == meaning.readings.end()) continue;
      const int gpu = gpu_of(reading, learned.log.engine, tensor, ranks);
      if (gpu < 0) continue;
      const bool real_graphs = meaning.line == "graphs_pool" && graphs_are_real(learned.log.engine);
      Sum& sum = sums[{gpu, real_graphs ? "graphs" : meaning.line}];
      sum.bytes += reading.value;
      sum.reading = &reading;
    }
  }
}

// Draft layers are among the weights that the engine logs.
std::optional<Bytes> predicted_of(const GpuBudget& gpu, std::string_view name) {
  const BudgetLine* line = gpu.line(name);
  if (line == nullptr) return {};
  const BudgetLine* draft = name == "weights" ? gpu.line("draft") : nullptr;
  return draft == nullptr ? line->bytes : line->bytes + draft->bytes;
}

ComparedCount count_of(const MemoryLog& log, std::string_view name) {
  ComparedCount count;
  for (const MemoryReading& reading : log.readings) {
    if (reading.name != name || reading.process.data > 0) continue;
    // Of several stages the tightest one counts.
    if (count.real && *count.real <= reading.value) continue;
    count.real = reading.value;
    count.reading = &reading;
  }
  return count;
}

}  // namespace

void compare(Learned& learned, const Budget* budget, int tensor, int ranks) {
  std::map<std::pair<int, std::string_view>, Sum> sums;
  add_real(sums, learned, tensor, ranks);
  std::map<int, bool> gpus;
  for (const auto& [key, sum] : sums) gpus[key.first] = true;
  for (const auto& [gpu, there] : gpus) {
    for (const Meaning& meaning : kMeanings) {
      ComparedLine line{.gpu = gpu, .name = meaning.line};
      const auto found = sums.find({gpu, meaning.line});
      if (found != sums.end()) {
        line.real = Bytes{static_cast<std::int64_t>(found->second.bytes)};
        line.reading = found->second.reading;
      }
      const auto index = static_cast<std::size_t>(gpu);
      if (budget != nullptr && index < budget->gpus.size())
        line.predicted = predicted_of(budget->gpus[index], meaning.line);
      if (line.real) learned.lines.push_back(line);
    }
  }
  learned.kv_tokens = count_of(learned.log, "kv_tokens");
  learned.max_concurrency = count_of(learned.log, "concurrency");
  if (budget == nullptr) return;
  learned.kv_tokens.predicted = static_cast<double>(budget->kv_tokens.count());
  learned.max_concurrency.predicted = budget->max_concurrency;
}

LearnedRun run_of(const Learned& learned) {
  LearnedRun run;
  run.engine = learned.engine;
  run.version = learned.version;
  for (const ComparedLine& line : learned.lines) {
    if (run.gpus.empty() || run.gpus.back().gpu != line.gpu)
      run.gpus.push_back({.gpu = line.gpu,
                          .weights = {},
                          .activations = {},
                          .graphs = {},
                          .runtime = {},
                          .kv_cache = {}});
    LearnedGpu& gpu = run.gpus.back();
    if (line.name == "weights") gpu.weights = line.real;
    if (line.name == "activations") gpu.activations = line.real;
    if (line.name == "graphs") gpu.graphs = line.real;
    if (line.name == "runtime") gpu.runtime = line.real;
    if (line.name == "kv_cache") gpu.kv_cache = line.real;
  }
  if (learned.kv_tokens.real && *learned.kv_tokens.real >= 1)
    run.kv_tokens = Tokens{static_cast<std::int64_t>(*learned.kv_tokens.real)};
  return run;
}

std::optional<double> percent_over(std::optional<double> predicted, std::optional<double> real) {
  if (!predicted || !real || *real == 0) return {};
  return (*predicted - *real) / *real * 100;
}

}  // namespace sx
