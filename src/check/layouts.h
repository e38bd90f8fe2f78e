// Other layouts for the same launch: which split, which fit, best first. The headline fixes come
// from here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/rule.h"
#include "engines/engine.h"

namespace sx {

struct LayoutChoice {
  Layout layout;
  std::optional<Budget> budget;  // empty: memory cannot be computed, only the split is judged
  bool fits =
      false;  // weights and one longest request fit, by best estimate; true without a budget
};

// All TP x PP over 1 … the case's visible GPUs that split, best first: those that fit; one stage
// before several; larger tensor groups as far as the links carry them; more GPUs. The rest follow
// by how much of them is missing.
std::vector<LayoutChoice> layout_choices(const Case& c);

// Proposals for the best of them, with titles that say what it means: "two GPUs a stage, three
// stages (fits: 220 864 tokens of KV cache)". Layouts that start only with a shorter context come
// last and say so.
std::vector<Proposal> layout_proposals(const Case& c, std::size_t most = 6);

// Fewer bits from the catalogue, when the model has such siblings: each with the layout that fits.
std::vector<Proposal> sibling_proposals(const Case& c, std::size_t most = 2);

// Tensor sizes that split here, up to the GPUs there are: "1, 2, 4".
std::string tensor_sizes_here(const Case& c);

// When nothing fits: what would — so many cards of this kind, or how much memory is missing in all.
Message what_would_fit(const Case& c);

// The flags that turn the case's command into that layout.
std::vector<Change> changes_to(const Case& c, const Layout& layout);

}  // namespace sx
