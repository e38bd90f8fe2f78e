// Ways out of a launch that does not fit its memory, each tried by arithmetic before it is
// proposed.
#pragma once

#include <vector>

#include "check/rule.h"

namespace sx {

// What may be done. Each adds its proposal only when memory is all right with it.
enum class WayOut {
  EightBitWeights,  // of a 16-bit checkpoint, made while it loads; where version and cards can
  EightBitCache,    // where version and cards can
  LargerShare,      // of each card, as far as that is safe
  FreeShare,        // of each card as much as others leave
  FewerSequences,   // --max-num-seqs
  ShorterSteps,     // --max-num-batched-tokens
  NoGraphs,         // --enforce-eager
  TextOnly,         // --language-model-only: no vision tower and no profile run of it
  ShorterContext,   // --max-model-len
};

// Where the full context is still too long after it: whether the proposal may ask for a shorter one
// too, and say so.
enum class Context { Whole, Shorter };
void add_way_out(const Case& c, WayOut way, std::vector<Proposal>& proposals,
                 Context context = Context::Shorter);

// Layouts of the same model: those with room for the whole context, and those that ask for a
// shorter one.
struct LayoutProposals {
  std::vector<Proposal> whole, shorter;
};
LayoutProposals layouts_by_context(const Case& c);

// Takes at most `most` of the proposals over.
void take(std::vector<Proposal>& from, std::size_t most, std::vector<Proposal>& to);

// A length that a person would write: one in sixteen steps of its size, down.
Tokens rounded_down(Tokens length);

}  // namespace sx
