// Lines of one GPU's memory, made to sum to its capacity.
#include "fit/budget.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace sx {
namespace {

constexpr Text kNothingLeft{"nothing is left", "没有剩余"};
double square(Bytes bytes) {
  const auto count = static_cast<double>(bytes.count());
  return count * count;
}

Bytes root(double square) { return Bytes{static_cast<std::int64_t>(std::sqrt(square))}; }

constexpr Text kRest{"what the other lines leave", "其余各项之后的剩余"};

}  // namespace

const BudgetLine* GpuBudget::line(std::string_view name) const {
  const auto found = std::ranges::find(lines, name, &BudgetLine::name);
  return found == lines.end() ? nullptr : &*found;
}

GpuBudget balanced(GpuBudget gpu) {
  static const Notes kShort{kNothingLeft}, kOver{kRest};  // shared by the lines of all GPUs
  Bytes spent;
  double under = 0, over = 0;  // squares of how far lines may lie below and above their best
  for (const BudgetLine& line : gpu.lines) {
    spent += line.bytes;
    under += square(line.bytes - line.low);
    over += square(line.high - line.bytes);
  }
  gpu.room = gpu.capacity - spent;
  gpu.room_low = gpu.room - root(over);
  gpu.room_high = gpu.room + root(under);
  gpu.kv_bytes = std::max(gpu.room, Bytes{0});
  gpu.lines.push_back({.name = "kv_cache",
                       .bytes = gpu.kv_bytes,
                       .low = std::max(gpu.room_low, Bytes{0}),
                       .high = std::max(gpu.room_high, Bytes{0}),
                       .notes = gpu.room < Bytes{0} ? kShort : kOver});
  return gpu;
}

const GpuBudget& Budget::tightest() const {
  SX_ASSERT(!gpus.empty());
  return *std::ranges::min_element(gpus, {}, &GpuBudget::room);
}

}  // namespace sx
