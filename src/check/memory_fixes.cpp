// Tries a change: what would the memory of the launch say then?
#include "check/memory_fixes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include "check/free_memory.h"
#include "check/layouts.h"
#include "check/memory_verdict.h"
#include "check/run_rules.h"
#include "check/small_cache.h"
#include "engines/engine.h"
#include "knowledge/traits.h"

namespace sx {
namespace {

constexpr Tokens kShortestContext{1024};  // a shorter one helps nobody

constexpr Text kShorter{"{what}, and a context of at most {length} tokens",
                        "{what}，且上下文最多 {length} 个 token"};
constexpr Text kContext{"a context of at most {length} tokens instead of {now}",
                        "上下文最多 {length} 个 token，而不是 {now} 个"};
constexpr Text kEightBits{
    "weights in 8 bits, made while loading (fits: {tokens} tokens of KV cache)",
    "加载时把权重量化为 8 位（放得下：KV 缓存可容 {tokens} 个 token）"};
constexpr Text kEightBitsShort{"weights in 8 bits, made while loading", "加载时把权重量化为 8 位"};
constexpr Text kCache{"KV cache in FP8, half the bytes a token (room for {tokens} tokens)",
                      "KV 缓存用 FP8，每个 token 只占一半（可容 {tokens} 个 token）"};
constexpr Text kCacheShort{"KV cache in FP8, half the bytes a token",
                           "KV 缓存用 FP8，每个 token 只占一半"};
constexpr Text kShare{
    "{fraction} of each card instead of {now} (room for {tokens} tokens of KV cache)",
    "每张卡用到 {fraction}，而不是 {now}（KV 缓存可容 {tokens} 个 token）"};
constexpr Text kShareShort{"a larger share of each card", "提高每张卡的显存占比"};
constexpr Text kFree{
    "{fraction} of each card instead of {now}, as much as is free (room for {tokens} tokens of KV "
    "cache)",
    "每张卡用到 {fraction}，而不是 {now}，即空闲的部分（KV 缓存可容 {tokens} 个 token）"};
constexpr Text kFreeShort{"only the free part of each card", "只用每张卡空闲的部分"};
constexpr Text kSequences{
    "at most {count} requests at once instead of {now} (room for {tokens} tokens of KV cache)",
    "最多 {count} 个并发请求，而不是 {now} 个（KV 缓存可容 {tokens} 个 token）"};
constexpr Text kSequencesShort{"fewer requests at once", "减少并发请求数"};
constexpr Text kSteps{
    "{count} tokens a step instead of {now} (room for {tokens} tokens of KV cache)",
    "每步 {count} 个 token，而不是 {now} 个（KV 缓存可容 {tokens} 个 token）"};
constexpr Text kStepsShort{"fewer tokens a step", "减少每步的 token 数"};
constexpr Text kEager{"no CUDA graphs: slower for few users (room for {tokens} tokens of KV cache)",
                      "不用 CUDA graph：并发低时更慢（KV 缓存可容 {tokens} 个 token）"};
constexpr Text kEagerShort{"no CUDA graphs", "不用 CUDA graph"};

constexpr Text kText{
    "text only: without the vision tower and its trial run (room for {tokens} tokens of KV cache)",
    "只处理文本：不加载视觉编码器，也不为它试运行（KV 缓存可容 {tokens} 个 token）"};
constexpr Text kTextShort{"text only, without the vision tower", "只处理文本，不加载视觉编码器"};

struct Trial {
  Text title, in_few_words;
  std::vector<Argument> arguments;
  std::vector<Change> changes;
  Safety safety = Safety::ChangesBehaviour;
};

// What each way out is given.
struct Attempt {
  const Case& c;
  Context context;
  std::vector<Proposal>& proposals;
};

// The longest context that raises no doubt at all; nothing when there is none worth having.
std::optional<Tokens> longest_sure(const Case& c, Tokens most) {
  Case asked = c;
  const auto fits = [&asked](std::int64_t length) {
    asked.serve.max_model_len = Fact<Tokens>(Tokens{length}, Origin::Flag);
    asked.serve.max_model_len_auto = Fact<bool>(false, Origin::Default);
    return !memory_verdict(asked).has_value();
  };
  // From the top in a person's steps first: longer contexts do not always need more (V0 engines cut
  // their trial step).
  Tokens length = rounded_down(most);
  for (int tries = 0; tries < 16 && length >= kShortestContext; ++tries) {
    if (fits(length.count())) return length;
    length = rounded_down(length - Tokens{1});
  }
  std::int64_t low = kShortestContext.count(), high = length.count();
  if (high < low || !fits(low)) return {};
  const std::int64_t close =
      std::max<std::int64_t>(1, high / 64);  // finer than what rounding leaves
  while (high - low > close) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return rounded_down(Tokens{low});
}

void try_out(const Attempt& attempt, Trial trial) {
  const auto& [c, context, proposals] = attempt;
  const auto again = asked_again(c, trial.changes);
  if (!again) return;
  const auto verdict = memory_verdict(*again);
  if (!verdict || !stands_in_the_way(*again, *verdict)) {
    const auto budget = budget_of(*again);
    if (!budget) return;
    trial.arguments.emplace_back("tokens", budget->kv_tokens);
    proposals.push_back(
        {{trial.title, std::move(trial.arguments)}, std::move(trial.changes), trial.safety});
    return;
  }
  if (verdict->what != MemoryBreak::TooShort || context == Context::Whole) return;
  const auto length = longest_sure(*again, verdict->budget.longest_possible);
  if (!length) return;
  trial.changes.push_back(set_flag("--max-model-len", std::to_string(length->count())));
  proposals.push_back({{kShorter, {{"what", trial.in_few_words}, {"length", *length}}},
                       std::move(trial.changes),
                       Safety::Trades});
}

// Of changes from mild to harsh the first one that helps.
template <class Values, class Make>
void try_each(const Attempt& attempt, const Values& values, Make make) {
  const std::size_t before = attempt.proposals.size();
  for (const auto value : values) {
    try_out(attempt, make(value));
    if (attempt.proposals.size() > before) return;
  }
}

void try_eight_bit_weights(const Attempt& attempt) {
  const Case& c = attempt.c;
  const ServeSpec& serve = c.serve;
  const bool plain =
      c.model().quantisation.known() && !c.model().is_quantised() && !serve.quantization.asked();
  const auto word = trait(serve.engine, "online-fp8", serve.version);
  const auto capability = trait(serve.engine, "online-fp8-capability", serve.version);
  if (!plain || !word || !capability || !cards_have(c, *capability)) return;
  try_out(attempt, {.title = kEightBits,
                    .in_few_words = kEightBitsShort,
                    .arguments = {},
                    .changes = {set_flag("--quantization", std::string(*word))},
                    .safety = Safety::Trades});
}

void try_eight_bit_cache(const Attempt& attempt) {
  const Case& c = attempt.c;
  if (!may_take_small_cache(c)) return;
  const std::string word(small_cache_word(c.serve));
  try_out(attempt, {.title = kCache,
                    .in_few_words = kCacheShort,
                    .arguments = {},
                    .changes = {set_flag("--kv-cache-dtype", word)},
                    .safety = Safety::Trades});
}

void try_larger_share(const Attempt& attempt) {
  const Case& c = attempt.c;
  const auto now = fraction_in_force(c);
  const auto most = safe_fraction(c);
  if (!now || !most || c.serve.kv_cache_bytes.known()) return;
  std::vector<int> hundredths;
  for (int i = static_cast<int>(*now * 100 + 1.001); i <= static_cast<int>(*most * 100 + 0.001);
       ++i)
    hundredths.push_back(i);
  // The whole context first, whatever it takes; a shorter one only with all that is safe.
  const auto make = [&now](int hundredth) {
    const std::string fraction = fmt::format("{:.2f}", hundredth / 100.0);
    return Trial{.title = kShare,
                 .in_few_words = kShareShort,
                 .arguments = {{"fraction", fraction}, {"now", *now}},
                 .changes = {set_flag("--gpu-memory-utilization", fraction)}};
  };
  for (const int hundredth : hundredths) {
    const auto again = asked_again(c, make(hundredth).changes);
    if (again && !memory_verdict(*again)) return try_out(attempt, make(hundredth));
  }
  if (!hundredths.empty()) try_out(attempt, make(hundredths.back()));
}

void try_free_share(const Attempt& attempt) {
  const Case& c = attempt.c;
  const auto now = fraction_in_force(c);
  const auto most = safe_fraction(c);
  if (!now || !most || *most <= 0 || *most >= *now) return;
  const std::string fraction = fmt::format("{:.2f}", *most);
  try_out(attempt, {.title = kFree,
                    .in_few_words = kFreeShort,
                    .arguments = {{"fraction", fraction}, {"now", *now}},
                    .changes = {set_flag("--gpu-memory-utilization", fraction)},
                    .safety = Safety::Trades});
}

void try_fewer_sequences(const Attempt& attempt) {
  const Case& c = attempt.c;
  const auto budget = budget_of(c);
  if (!budget) return;
  std::vector<int> counts;
  for (const int count : {512, 256, 128, 64, 32, 16}) {
    if (count < budget->max_num_seqs) counts.push_back(count);
  }
  const auto make = [&budget](int count) {
    return Trial{.title = kSequences,
                 .in_few_words = kSequencesShort,
                 .arguments = {{"count", count}, {"now", budget->max_num_seqs}},
                 .changes = {set_flag("--max-num-seqs", std::to_string(count))}};
  };
  try_each(attempt, counts, make);
}

void try_shorter_steps(const Attempt& attempt) {
  const Case& c = attempt.c;
  const auto budget = budget_of(c);
  if (!budget) return;
  std::vector<int> counts;
  for (const int count : {8192, 4096, 2048, 1024}) {
    // A step must hold a token of each running request.
    if (count < budget->max_batched_tokens.count() && count >= budget->max_num_seqs)
      counts.push_back(count);
  }
  const auto make = [&budget](int count) {
    return Trial{.title = kSteps,
                 .in_few_words = kStepsShort,
                 .arguments = {{"count", count}, {"now", budget->max_batched_tokens}},
                 .changes = {set_flag("--max-num-batched-tokens", std::to_string(count))}};
  };
  try_each(attempt, counts, make);
}

void try_no_graphs(const Attempt& attempt) {
  const Case& c = attempt.c;
  if (c.serve.enforce_eager.value_or(false)) return;
  try_out(attempt, {.title = kEager,
                    .in_few_words = kEagerShort,
                    .arguments = {},
                    .changes = {add_switch("--enforce-eager")},
                    .safety = Safety::Trades});
}

void try_text_only(const Attempt& attempt) {
  const Case& c = attempt.c;
  const bool tower = c.model().vision.layers.value_or(0) > 0;
  if (!tower || c.serve.language_model_only.value_or(false)) return;
  try_out(attempt, {.title = kText,
                    .in_few_words = kTextShort,
                    .arguments = {},
                    .changes = {add_switch("--language-model-only")},
                    .safety = Safety::Trades});
}

void try_shorter_context(const Attempt& attempt) {
  const Case& c = attempt.c;
  const auto verdict = memory_verdict(c);
  if (!verdict || verdict->what != MemoryBreak::TooShort) return;
  const auto length = longest_sure(c, verdict->budget.longest_possible);
  if (!length) return;
  attempt.proposals.push_back(
      {{kContext, {{"length", *length}, {"now", verdict->budget.max_model_len}}},
       {set_flag("--max-model-len", std::to_string(length->count()))},
       Safety::Trades});
}

}  // namespace

Tokens rounded_down(Tokens length) {
  if (length.count() < 16) return length;
  const auto step =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(length.count()) / 16));
  return Tokens{length.count() / step * step};
}

void add_way_out(const Case& c, WayOut way, std::vector<Proposal>& proposals, Context context) {
  const Attempt attempt{c, context, proposals};
  switch (way) {
    case WayOut::EightBitWeights:
      return try_eight_bit_weights(attempt);
    case WayOut::EightBitCache:
      return try_eight_bit_cache(attempt);
    case WayOut::LargerShare:
      return try_larger_share(attempt);
    case WayOut::FreeShare:
      return try_free_share(attempt);
    case WayOut::FewerSequences:
      return try_fewer_sequences(attempt);
    case WayOut::ShorterSteps:
      return try_shorter_steps(attempt);
    case WayOut::NoGraphs:
      return try_no_graphs(attempt);
    case WayOut::TextOnly:
      return try_text_only(attempt);
    case WayOut::ShorterContext:
      return try_shorter_context(attempt);
  }
  SX_UNREACHABLE("a way out that nobody knows");
}

LayoutProposals layouts_by_context(const Case& c) {
  LayoutProposals all;
  std::vector<Proposal> unsure;
  for (Proposal& proposal : layout_proposals(c)) {
    const auto again = asked_again(c, proposal.changes);
    const auto verdict = again ? memory_verdict(*again) : std::nullopt;
    const bool sure = again && (!verdict || !stands_in_the_way(*again, *verdict));
    const bool shorter = std::ranges::any_of(
        proposal.changes, [](const Change& change) { return change.name == "--max-model-len"; });
    if (shorter && !sure) continue;
    (shorter ? all.shorter : sure ? all.whole : unsure).push_back(std::move(proposal));
  }
  take(unsure, unsure.size(), all.whole);
  return all;
}

void take(std::vector<Proposal>& from, std::size_t most, std::vector<Proposal>& to) {
  const std::size_t count = std::min(most, from.size());
  for (std::size_t i = 0; i < count; ++i) to.push_back(std::move(from[i]));
  from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace sx
