// Sentences are written once, in the plural; the few words that may stand behind a number are
// known.
#include "diag/singular.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sx {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr std::array<Pair, 64> kNouns{{
    {"GPUs", "GPU"},
    {"NVLinks", "NVLink"},
    {"UUIDs", "UUID"},
    {"adapters", "adapter"},
    {"allowances", "allowance"},
    {"bits", "bit"},
    {"blocks", "block"},
    {"bytes", "byte"},
    {"cards", "card"},
    {"channels", "channel"},
    {"characters", "character"},
    {"checks", "check"},
    {"chunks", "chunk"},
    {"connections", "connection"},
    {"containers", "container"},
    {"copies", "copy"},
    {"cores", "core"},
    {"days", "day"},
    {"devices", "device"},
    {"engines", "engine"},
    {"errors", "error"},
    {"experts", "expert"},
    {"files", "file"},
    {"findings", "finding"},
    {"flags", "flag"},
    {"groups", "group"},
    {"heads", "head"},
    {"hosts", "host"},
    {"hours", "hour"},
    {"instances", "instance"},
    {"lanes", "lane"},
    {"launches", "launch"},
    {"layers", "layer"},
    {"lines", "line"},
    {"links", "link"},
    {"machines", "machine"},
    {"minutes", "minute"},
    {"models", "model"},
    {"nodes", "node"},
    {"pages", "page"},
    {"pieces", "piece"},
    {"processes", "process"},
    {"prompts", "prompt"},
    {"ranks", "rank"},
    {"replicas", "replica"},
    {"requests", "request"},
    {"rows", "row"},
    {"seconds", "second"},
    {"sequences", "sequence"},
    {"services", "service"},
    {"shards", "shard"},
    {"shares", "share"},
    {"slots", "slot"},
    {"stages", "stage"},
    {"steps", "step"},
    {"tensors", "tensor"},
    {"threads", "thread"},
    {"times", "time"},
    {"tokens", "token"},
    {"users", "user"},
    {"values", "value"},
    {"variables", "variable"},
    {"warnings", "warning"},
    {"words", "word"},
}};
static_assert(std::ranges::is_sorted(kNouns), "looked for by halves");

// What may stand between the number and the noun.
constexpr std::array<std::string_view, 36> kBetween{"GGUF",
                                                    "KV",
                                                    "MLP",
                                                    "NVIDIA",
                                                    "PCIe",
                                                    "Xid",
                                                    "attention",
                                                    "attention-query",
                                                    "bad",
                                                    "cached",
                                                    "corrected",
                                                    "data-parallel",
                                                    "decode-context",
                                                    "environment",
                                                    "free",
                                                    "full",
                                                    "hidden",
                                                    "key",
                                                    "linear-attention",
                                                    "memory",
                                                    "model",
                                                    "more",
                                                    "other",
                                                    "pipeline",
                                                    "prompt",
                                                    "query",
                                                    "redundant",
                                                    "routed",
                                                    "shared",
                                                    "tensor-parallel",
                                                    "uncorrectable",
                                                    "uncorrected",
                                                    "value",
                                                    "visible",
                                                    "vision",
                                                    "weight"};
static_assert(std::ranges::is_sorted(kBetween), "looked for by halves");

constexpr std::array<Pair, 19> kVerbs{{
    {"are", "is"},       {"come", "comes"},   {"do", "does"},        {"exceed", "exceeds"},
    {"get", "gets"},     {"go", "goes"},      {"have", "has"},       {"hold", "holds"},
    {"lie", "lies"},     {"need", "needs"},   {"remain", "remains"}, {"see", "sees"},
    {"share", "shares"}, {"stand", "stands"}, {"stay", "stays"},     {"take", "takes"},
    {"use", "uses"},     {"wait", "waits"},   {"were", "was"},
}};
static_assert(std::ranges::is_sorted(kVerbs), "looked for by halves");

constexpr int kMostBetween = 3;

// The word behind one blank at `at`; empty: there is none.
std::string_view word_behind_blank(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != ' ') return {};
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  };
  std::size_t end = at + 1;
  while (end < text.size() && letter(text[end])) ++end;
  return text.substr(at + 1, end - at - 1);
}

template <std::size_t N>
std::string_view singular(const std::array<Pair, N>& pairs, std::string_view word) {
  const auto found = std::ranges::lower_bound(pairs, word, {}, &Pair::first);
  return found != pairs.end() && found->first == word ? found->second : std::string_view();
}

}  // namespace

void put_singular(std::string& out, std::string_view& rest) {
  std::size_t at = 0;
  std::string_view word = word_behind_blank(rest, at);
  for (int i = 0; i < kMostBetween && std::ranges::binary_search(kBetween, word); ++i) {
    at += 1 + word.size();
    word = word_behind_blank(rest, at);
  }
  const std::string_view noun = singular(kNouns, word);
  if (noun.empty()) return;
  out.append(rest.substr(0, at)).append(" ").append(noun);
  rest.remove_prefix(at + 1 + word.size());
  const std::string_view verb_there = word_behind_blank(rest, 0);
  const std::string_view verb = singular(kVerbs, verb_there);
  if (verb.empty()) return;
  out.append(" ").append(verb);
  rest.remove_prefix(1 + verb_there.size());
}

}  // namespace sx
