// Only lines that are in the budget are replaced; names are those of the machine format.
#include "engines/learned_lines.h"

#include <algorithm>
#include <utility>

#include "engines/engine.h"

namespace sx {
namespace {

constexpr Text kMeasuredHere{"measured here, {date}: the log of the same launch",
                             "本机实测（{date}）：同一启动的日志"};
constexpr Text kRest{"what the measured KV cache leaves, {date}",
                     "实测 KV 缓存之外的部分（{date}）"};

BudgetLine* line_of(GpuBudget& gpu, std::string_view name) {
  const auto found = std::ranges::find(gpu.lines, name, &BudgetLine::name);
  return found == gpu.lines.end() ? nullptr : &*found;
}

void measure(BudgetLine& line, Bytes bytes, Text note, const std::string& date) {
  line.bytes = line.low = line.high = bytes;
  line.origin = Origin::Measured;
  line.notes = {Message{note, {{"date", date}}}};
}

void replace(GpuBudget& gpu, std::string_view name, const std::optional<Bytes>& bytes,
             const std::string& date) {
  BudgetLine* line = line_of(gpu, name);
  if (line != nullptr && bytes && *bytes >= Bytes{0}) measure(*line, *bytes, kMeasuredHere, date);
}

// Draft weights are a part of what the engine logs as weights.
std::optional<Bytes> without_draft(GpuBudget& gpu, std::optional<Bytes> weights) {
  const BudgetLine* draft = line_of(gpu, "draft");
  if (!weights || draft == nullptr) return weights;
  return std::max(Bytes{0}, *weights - draft->bytes);
}

Bytes sum_of(const GpuBudget& gpu) {
  Bytes sum;
  for (const BudgetLine& line : gpu.lines) sum += line.bytes;
  return sum;
}

}  // namespace

const LearnedRun* learned_run(const Case& c) {
  return c.learned == nullptr ? nullptr : find_learned(*c.learned, c);
}

const LearnedRun* learned_run(const Case& c, const Layout& layout) {
  if (c.learned == nullptr) return nullptr;
  const auto own = layout_of(c.serve);
  return own && *own == layout ? learned_run(c) : nullptr;
}

GpuBudget with_learned_lines(GpuBudget gpu, const LearnedRun& run) {
  const LearnedGpu* learned = run.gpu(gpu.gpu);
  if (learned == nullptr) return gpu;
  replace(gpu, "weights", without_draft(gpu, learned->weights), run.date);
  replace(gpu, "activations", learned->activations, run.date);
  replace(gpu, "graphs", learned->graphs, run.date);
  replace(gpu, "runtime", learned->runtime, run.date);
  return gpu;
}

GpuBudget with_learned(GpuBudget gpu, Bytes unused, const LearnedRun& run) {
  const LearnedGpu* learned = run.gpu(gpu.gpu);
  if (learned == nullptr) return gpu;
  gpu = with_learned_lines(std::move(gpu), run);
  BudgetLine* runtime = line_of(gpu, "runtime");
  if (!learned->kv_cache || runtime == nullptr) return gpu;
  const Bytes others = sum_of(gpu) - runtime->bytes;
  const Bytes rest = gpu.capacity - unused - *learned->kv_cache - others;
  if (rest >= Bytes{0}) {
    measure(*runtime, rest, kRest, run.date);
    return gpu;
  }
  // The computed peak was too large: it takes the difference, unless it was measured itself.
  BudgetLine* activations = line_of(gpu, "activations");
  if (activations == nullptr || learned->activations || activations->bytes + rest < Bytes{0})
    return gpu;
  measure(*activations, activations->bytes + rest, kRest, run.date);
  measure(*runtime, Bytes{0}, kRest, run.date);
  return gpu;
}

}  // namespace sx
