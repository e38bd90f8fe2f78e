// SX1127. The long explanation and the scenes are in mm_item_exceeds_batch.md.
#include <optional>
#include <string>
#include <vector>

#include "check/memory_verdict.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "engines/engine.h"
#include "knowledge/constants.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"one picture takes up to {item} tokens, a batch holds {batch}",
                      "一张图片最多占 {item} 个 token，一批只能容纳 {batch} 个"};
constexpr Text kLabel{"smaller than one item of {item} tokens", "小于一个条目的 {item} 个 token"};
constexpr Text kWhole{"items are not split over steps", "条目不会拆到多步处理"};
constexpr Text kDefault{"{batch} tokens a step is the default of {engine} on this card",
                        "每步 {batch} 个 token 是 {engine} 在这张卡上的默认值"};
constexpr Text kOfModel{
    "pictures of this kind of model are seen whole: their tokens cannot be split over steps",
    "这类模型要整体看一张图片：它的 token 不能拆到多步处理"};
constexpr Text kBecause{
    "where an item cannot be split, one step must hold the largest one that the model can make",
    "条目不能拆分时，一步必须放得下模型可能产生的最大条目"};
constexpr Text kOtherwise{
    "the engine exits after loading: \"Chunked MM input disabled but max_tokens_per_mm_item … is "
    "larger than max_num_batched_tokens\"",
    "引擎在加载之后退出：“Chunked MM input disabled but max_tokens_per_mm_item … is larger than "
    "max_num_batched_tokens”"};
constexpr Text kMore{"{count} tokens a step instead of {now}",
                     "每步 {count} 个 token，而不是 {now} 个"};
constexpr Text kSplit{"let items be split over steps", "允许把条目拆到多步处理"};

constexpr Need kNeeds[] = {Need::ModelKind};
constexpr const char* kBatch = "--max-num-batched-tokens";
constexpr const char* kNoSplit = "--disable-chunked-mm-input";

std::optional<double> of_type(const char* what, const Case& c) {
  const auto row = constant("vllm", what + c.model().model_type.value_or(""), c.serve.version);
  return row ? std::optional(row->value) : std::nullopt;
}

// Tokens of the largest picture; nothing when it is not known.
std::optional<Tokens> largest_item(const Case& c) {
  if (const auto tokens = of_type("item-tokens:", c))
    return Tokens{static_cast<std::int64_t>(*tokens)};
  const auto any = constant("vllm", "picture-tokens-largest", c.serve.version);
  if (!of_type("picture-any-size:", c) || !any) return {};
  return Tokens{static_cast<std::int64_t>(any->value)};
}

bool split_off(const Case& c) {
  const FlagUse* use = c.serve.use_of(kNoSplit);
  return use != nullptr && !use->negated;
}

std::optional<Tokens> batch_of(const Case& c) {
  if (c.serve.max_batched_tokens.known()) return c.serve.max_batched_tokens.value();
  const auto budget = budget_of(c);
  return budget ? std::optional(budget->max_batched_tokens) : std::nullopt;
}

// Pictures may be switched off, or limited to none; what a limit says in full is another matter.
bool no_pictures(const Case& c) {
  return c.serve.language_model_only.value_or(false) ||
         c.serve.use_of("--limit-mm-per-prompt") != nullptr;
}

std::vector<Complaint> check(const Case& c) {
  const bool whole = of_type("items-whole:", c).value_or(0) != 0;
  if ((!whole && !split_off(c)) || no_pictures(c)) return {};
  const auto item = largest_item(c);
  const auto batch = item ? batch_of(c) : std::nullopt;
  if (!batch || *batch <= Tokens{0} || *batch >= *item) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument item_of("item", *item), batch_now("batch", *batch);
  d.title = {kTitle, {item_of, batch_now}};
  if (c.serve.max_batched_tokens.span()) {
    mark(d, c.serve.max_batched_tokens, {kLabel, {item_of}});
  } else {
    d.basis.push_back({kDefault, {batch_now, {"engine", engine_and_version(c.serve)}}});
  }
  if (split_off(c)) mark(d, c.serve.use_of(kNoSplit)->span, kWhole);
  if (whole) d.basis.emplace_back(kOfModel);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = kBatch;
  if (!whole) complaint.proposals.push_back({.title = kSplit, .changes = {remove_flag(kNoSplit)}});
  std::int64_t enough = 1024;
  while (enough < item->count()) enough *= 2;
  complaint.proposals.push_back({.title = {kMore, {{"count", Tokens{enough}}, {"now", *batch}}},
                                 .changes = {set_flag(kBatch, std::to_string(enough))}});
  return {complaint};
}

}  // namespace

extern const Rule mm_item_exceeds_batch{
    .code = "SX1127",
    .name = "mm-item-exceeds-batch",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
