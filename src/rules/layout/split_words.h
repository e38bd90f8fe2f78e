// What the rules about splits share: where they point, what else is in the way, and which of them
// speaks.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "check/rule.h"
#include "check/split_reasons.h"
#include "facts/case.h"

namespace sx::rules {

// Codes of the reasons against a tensor-parallel size, the most fundamental first: heads, KV heads,
// linear-attention heads, experts, widths, vocabulary, groups, tiles, blocks, vision. Who changes
// the size for the first has changed it for all of them, so only the first that holds is said; the
// others become lines of it.
inline constexpr std::array<std::string_view, 10> kSplitCodes{
    "SX2103", "SX2104", "SX2115", "SX2110", "SX2106",
    "SX2105", "SX2107", "SX2108", "SX2109", "SX2114"};

// The codes behind this one: what it covers.
consteval std::span<const std::string_view> less_fundamental_than(std::string_view code) {
  const auto* const found = std::ranges::find(kSplitCodes, code);
  if (found == kSplitCodes.end()) throw "no code of a split";
  return {found + 1, kSplitCodes.end()};
}

// Where the ranks come from that a model is split over: the tensor-parallel size, or the
// data-parallel size where that is all there is.
struct RankFlag {
  const Fact<int>* fact = nullptr;
  std::string_view name;
};
RankFlag rank_flag(const ServeSpec& serve);

// Underlines it, and makes it the subject.
void mark_ranks(Diagnostic& d, const Case& c, Message text);

// "down_proj input" as a sentence may name it.
Text tensor_name(const SplitProblem& reason);

// A line for each other kind of reason against the same ranks, at most two.
void say_what_else(Diagnostic& d, const Case& c, std::initializer_list<SplitKind> said);

// A line for the next reason of the kind that was said; `reasons` begins with the one that was.
void say_same_kind(Diagnostic& d, std::span<const SplitProblem> reasons);

// "29568 / 8 = 3696 = 28 x 128 + 112", of a slice that is no multiple of its unit.
Message slice_sum(const ServeSpec& serve, const SplitProblem& reason);

// Whether the reason is about experts that need not be cut at all.
bool cuts_experts(const SplitProblem& reason);

// Adds other layouts as fixes, unless a more fundamental reason will be said in place of this one.
void propose_other_layouts(const Case& c, Complaint& complaint, SplitKind kind);

// Adds the fix that keeps experts whole.
void propose_whole_experts(const Case& c, Complaint& complaint);

}  // namespace sx::rules
