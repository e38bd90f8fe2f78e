// What the budgets of all engines begin with: the model as numbers, the GPUs in rank order, and
// what is taken for granted of both.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>
#include <vector>

#include "facts/case.h"
#include "fit/budget.h"
#include "fit/shape.h"
#include "knowledge/constants.h"

namespace sx {

// The model's sizes; or why there is no budget without them.
std::expected<Shape, NoBudget> shape_for_budget(const ModelSpec& model);

// The GPUs of replica 0 in rank order: the visible ones in the process's own numbering; where they
// are too few, more of the last kind. Each has a known memory.
std::expected<std::vector<const Gpu*>, NoBudget> gpus_for_budget(const Case& c, std::int64_t ranks);

// What a reader of the budget should know: too few GPUs, guessed widths.
std::vector<Message> common_assumptions(const Case& c, const Shape& shape, std::size_t ranks);

// A measured or counted number of GiB as a line.
BudgetLine line_of_gib(std::string_view name, const Constant& gib, Notes notes);

// Weights with the part that --cpu-offload-gb takes away.
BudgetLine less_offloaded(BudgetLine weights, Bytes offloaded);

}  // namespace sx
