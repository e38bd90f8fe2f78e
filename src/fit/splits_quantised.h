// What quantised weights forbid: a rank's slice must be whole groups, kernel tiles or blocks.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fit/splits.h"

namespace sx {

// Whether any layer has an MLP that every token passes.
bool has_dense_mlp(const ModelSpec& model);

// Ranks that an expert's width is shared out over.
std::int64_t expert_parts(const SplitAsk& ask);

// Whether the config leaves a kind of module ("attn", "shared_expert") in 16 bit throughout.
bool keeps_in_16_bit(const Quantisation& quantisation, std::string_view module);

// Adds the reasons; sizes that do not divide at all are reasons of their own and are passed over
// here.
void quantised_slices(std::vector<SplitProblem>& out, const ModelSpec& model, const SplitAsk& ask);

}  // namespace sx
