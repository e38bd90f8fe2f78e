// One break, one sentence: sure or doubtful, of the card or of the share that the launch may use.
#include "rules/memory/memory_titles.h"

#include "rules/memory/memory_words.h"

namespace sx::rules {
namespace {

constexpr Text kOverCard{"the weights take {weights} on {where}, which has {card}",
                         "{where} 的权重需要 {weights}，而显存只有 {card}"};
constexpr Text kOverShare{"the weights take {weights} on {where}, of which {share} may be used",
                          "{where} 的权重需要 {weights}，而允许使用的只有 {share}"};
constexpr Text kMayBeOver{
    "the weights may not fit {where}: {low} to {high}, and {share} may be used",
    "{where} 可能放不下权重：需要 {low} 到 {high}，允许使用 {share}"};
constexpr Text kNothing{
    "nothing is left for KV cache on {where}: {spent} are taken, {share} may be used",
    "{where} 没有显存留给 KV 缓存：已占 {spent}，允许使用 {share}"};
constexpr Text kMaybeNothing{
    "{where} may have nothing left for KV cache: {low} to {high} are taken of {share}",
    "{where} 可能没有显存留给 KV 缓存：{share} 中已占 {low} 到 {high}"};
constexpr Text kPoolTooBig{
    "a KV cache of {pool} does not fit {where}, where {left} are left for it",
    "{where} 放不下 {pool} 的 KV 缓存：扣除其他占用后只剩 {left}"};
constexpr Text kTooShort{"the KV cache holds {tokens} tokens, and one request may have {length}",
                         "KV 缓存只能容纳 {tokens} 个 token，而一个请求最长可达 {length} 个"};
constexpr Text kMayBeTooShort{
    "the KV cache may hold only {low} tokens ({tokens} expected), and one request may have "
    "{length}",
    "KV 缓存可能只能容纳 {low} 个 token（预计 {tokens} 个），而一个请求最长可达 {length} 个"};

Message of_weights(const Case& c, const MemoryFault& fault, const Budget& budget) {
  const GpuBudget& gpu = budget.gpus[fault.gpu];
  const Extent weights = weights_of(gpu);
  const Argument place = where(c, fault, budget), share("share", fault.share.bytes);
  if (!fault.certain)
    return {kMayBeOver, {place, share, {"low", weights.low}, {"high", weights.high}}};
  if (weights.bytes > gpu.capacity)
    return {kOverCard, {place, {"weights", weights.bytes}, {"card", gpu.capacity}}};
  return {kOverShare, {place, share, {"weights", weights.bytes}}};
}

Message of_room(const Case& c, const MemoryFault& fault, const Budget& budget) {
  const GpuBudget& gpu = budget.gpus[fault.gpu];
  const Extent spent = spent_before_cache(gpu);
  const Argument place = where(c, fault, budget), share("share", fault.share.bytes);
  if (fault.asked_pool > Bytes{0}) {
    const Bytes left = std::max(gpu.capacity - spent.bytes, Bytes{0});
    return {kPoolTooBig, {place, {"pool", fault.asked_pool}, {"left", left}}};
  }
  return fault.certain
             ? Message(kNothing, {place, share, {"spent", spent.bytes}})
             : Message(kMaybeNothing, {place, share, {"low", spent.low}, {"high", spent.high}});
}

Message of_length(const MemoryFault& fault, const Budget& budget) {
  const Argument length("length", budget.max_model_len), tokens("tokens", budget.kv_tokens);
  if (!fault.certain) return {kMayBeTooShort, {length, {"low", fault.least_tokens}, tokens}};
  return {kTooShort, {length, tokens}};
}

}  // namespace

std::string_view rule_of(MemoryBreak what) {
  switch (what) {
    case MemoryBreak::Weights:
      return "oom-weights-too-big";
    case MemoryBreak::NoRoom:
      return "no-kv-blocks";
    case MemoryBreak::TooShort:
      return "kv-cache-max-len";
  }
  SX_UNREACHABLE("a break that no rule speaks of");
}

Message title_of(const Case& c, const MemoryFault& fault, const Budget& budget) {
  switch (fault.what) {
    case MemoryBreak::Weights:
      return of_weights(c, fault, budget);
    case MemoryBreak::NoRoom:
      return of_room(c, fault, budget);
    case MemoryBreak::TooShort:
      return of_length(fault, budget);
  }
  SX_UNREACHABLE("a break without a title");
}

// Where nobody asked for the length and the engine starts without it, it is what most launches are
// like.
Severity severity_of(const Case& c, const MemoryFault& fault) {
  if (fault.what != MemoryBreak::TooShort || !starts_below_context(c.serve))
    return fault.certain ? Severity::Error : Severity::Warning;
  return c.serve.max_model_len.asked() ? Severity::Warning : Severity::Advice;
}

}  // namespace sx::rules
