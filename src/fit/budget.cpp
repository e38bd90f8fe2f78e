// Lines of one GPU's memory, made to sum to its capacity.
#include "fit/budget.h"

#include <algorithm>

#include "base/check.h"

namespace sx {
namespace {

constexpr Text kNothingLeft{"nothing is left", "没有剩余"};
constexpr Text kRest{"what the other lines leave", "其余各项之后的剩余"};

}  // namespace

const BudgetLine* GpuBudget::line(std::string_view name) const {
  const auto found = std::ranges::find(lines, name, &BudgetLine::name);
  return found == lines.end() ? nullptr : &*found;
}

GpuBudget balanced(GpuBudget gpu) {
  Bytes spent, low, high;
  for (const BudgetLine& line : gpu.lines) {
    spent += line.bytes;
    low += line.low;
    high += line.high;
  }
  gpu.room = gpu.capacity - spent;
  gpu.room_low = gpu.capacity - high;
  gpu.room_high = gpu.capacity - low;
  gpu.kv_bytes = std::max(gpu.room, Bytes{0});
  gpu.lines.push_back({.name = "kv_cache",
                       .bytes = gpu.kv_bytes,
                       .low = std::max(gpu.room_low, Bytes{0}),
                       .high = std::max(gpu.room_high, Bytes{0}),
                       .notes = {gpu.room < Bytes{0} ? kNothingLeft : kRest}});
  return gpu;
}

const GpuBudget& Budget::tightest() const {
  SX_ASSERT(!gpus.empty());
  return *std::ranges::min_element(gpus, {}, &GpuBudget::room);
}

}  // namespace sx
