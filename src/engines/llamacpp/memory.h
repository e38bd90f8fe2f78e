// How llama.cpp spends GPU memory and host memory; from data.
#pragma once

#include <expected>

#include "facts/case.h"
#include "fit/budget.h"
#include "fit/layout.h"

namespace sx {

// Engine::budget of llama.cpp. One process holds all devices: each device is one "rank" of the
// answer, and the layout says only how many devices there are.
std::expected<Budget, NoBudget> llama_budget(const Case& c, const Layout& layout);

}  // namespace sx
