// How SGLang spends GPU memory; per version, from data.
#pragma once

#include <expected>
#include <vector>

#include "facts/case.h"
#include "fit/budget.h"
#include "fit/layout.h"

namespace sx {

// Engine::budget and Engine::stages of SGLang. The layout's `tensor` is --tp-size; data-parallel
// attention splits it further and stands in the case's ServeSpec.
std::expected<Budget, NoBudget> sglang_budget(const Case& c, const Layout& layout);
std::vector<int> sglang_stages(const Case& c, const Layout& layout);

}  // namespace sx
