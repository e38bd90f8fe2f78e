// Other layouts for the same launch: which split, which fit, best first. The headline fixes come from here.
#pragma once

#include <optional>
#include <vector>

#include "diag/diagnostic.h"
#include "engines/engine.h"
#include "check/rule.h"
#include "facts/case.h"

namespace sx {

struct LayoutChoice {
  Layout layout;
  Budget budget;
  bool fits = false;        // weights and one longest request fit, by best estimate
};

// All TP x PP (x EP for MoE when asked for or needed) over 1 … GPUs of the case that split. Those that fit come first, in the
// order a person would agree with: uses more GPUs, larger TP within a node's well-linked set but few ranks a group …
std::vector<LayoutChoice> layout_choices(const Case& c);

// Proposals for the best `most` of them, with titles that say what it means: "two GPUs a stage, three stages (fits:
// 220 864 tokens of KV cache)".
std::vector<Proposal> layout_proposals(const Case& c, std::size_t most = 3);

// When nothing fits: what would — fewer bits by a catalogue sibling's name, or how much memory is missing.
Message what_would_fit(const Case& c);

}  // namespace sx
