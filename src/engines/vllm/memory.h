// How vLLM spends GPU memory, how it splits a model, and which layers its stages get; per version,
// from data.
#pragma once

#include <expected>
#include <optional>
#include <vector>

#include "facts/case.h"
#include "fit/budget.h"
#include "fit/layout.h"
#include "fit/splits.h"
#include "fit/weights.h"

namespace sx {

// Engine::budget, Engine::split_ask, Engine::stages, Engine::stage_weights and
// Engine::weights_alone of vLLM. None of them needs the layout to split the model: a layout that
// cannot be started has a budget too, so that an answer can say both.
std::expected<Budget, NoBudget> vllm_budget(const Case& c, const Layout& layout);
SplitAsk vllm_split_ask(const Case& c, const Layout& layout);
std::vector<int> vllm_stages(const Case& c, const Layout& layout);
std::vector<RankWeights> vllm_stage_weights(const Case& c, const Layout& layout);
std::optional<Budget> vllm_weights_alone(const Case& c, const Layout& layout);

}  // namespace sx
