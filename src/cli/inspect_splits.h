// Over how many GPUs a model splits, and what each of them holds: asked of the same rules that
// `check` asks.
#pragma once

#include "cli/inspect_answer.h"
#include "gather/outside.h"

namespace sx {

// Fills engine, version, splits and (where `tensor` or `pipeline` are given) ranks. `word` is the
// model as the user named it.
void add_splits(Inspection& found, Sources& sources, const std::string& word,
                std::optional<int> tensor, std::optional<int> pipeline, const Outside& outside);

}  // namespace sx
