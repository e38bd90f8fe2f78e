// The largest cause first: what no split could hold, then the split, then copies.
#include "rules/memory/llama_verdict.h"

#include <algorithm>

#include "base/strings.h"
#include "check/memory_fixes.h"
#include "check/run_rules.h"

namespace sx::rules {
namespace {

constexpr Text kDevice{
    "{gpu}: weights {weights} + KV cache {cache} + one step {step} + runtime {runtime} = {sum} "
    "GiB; "
    "free: {free}",
    "{gpu}：权重 {weights} + KV 缓存 {cache} + 一步计算 {step} + 运行时 {runtime} = {sum} "
    "GiB；空闲 "
    "{free}"};
constexpr Text kContext{"a context of {length} tokens in all instead of {now}",
                        "上下文总长 {length} 个 token，而不是 {now} 个"};
constexpr Text kSmallCache{"KV cache in 8 bits, half the bytes a token",
                           "KV 缓存用 8 位，每个 token 只占一半"};
constexpr Text kLayers{"{count} of {layers} layers on the GPUs, the others in host memory: slower",
                       "{layers} 层中有 {count} 层放在 GPU 上，其余放在内存：更慢"};
constexpr Text kOwnChoice{
    "leave it to the engine how many layers go to the GPUs: what does not fit stays in host "
    "memory, and is slower",
    "由引擎决定放多少层到 GPU 上：放不下的留在内存，会更慢"};
constexpr Text kExperts{"experts in host memory, everything else on the GPUs: slower",
                        "专家放在内存，其余放在 GPU 上：更慢"};
constexpr Text kAllGpus{"share the layers out over all GPUs", "把各层分到所有 GPU 上"};
constexpr Text kByMemory{"shares by free memory, as the engine works them out",
                         "由引擎按空闲显存分配比例"};
constexpr Text kShares{"shares {shares} instead of {now}", "比例用 {shares}，而不是 {now}"};
constexpr Text kSteps{"steps of {count} tokens instead of {now}: slower prompts",
                      "每步 {count} 个 token，而不是 {now} 个：处理提示词更慢"};

Bytes sum_over(const LlamaPlacement& place, Bytes LlamaDevice::* part) {
  Bytes sum;
  for (const LlamaDevice& device : place.devices) sum += device.*part;
  return sum;
}

bool fits_with_one_copy(const LlamaPlacement& place) {
  return place.copies > 1 && std::ranges::all_of(place.devices, [&](const LlamaDevice& device) {
           const Bytes saved =
               device.step > Bytes{0} ? device.step - place.step_of_one_copy : Bytes{0};
           return device.needed() - saved <= device.free;
         });
}

LlamaBreak break_of(const LlamaPlacement& place) {
  if (fits_with_one_copy(place)) return LlamaBreak::Copies;
  Bytes needed;
  for (const LlamaDevice& device : place.devices) needed += device.needed();
  const Bytes free = sum_over(place, &LlamaDevice::free);
  const Bytes cache = sum_over(place, &LlamaDevice::cache);
  if (needed <= free && place.devices.size() > 1) return LlamaBreak::Split;
  return needed - cache <= free ? LlamaBreak::Cache : LlamaBreak::Layers;
}

// Whether nothing is wrong with the launch any more.
std::optional<Case> well_with(const Case& c, const std::vector<Change>& changes) {
  auto again = asked_again(c, changes);
  if (!again || !llama_placement(*again) || llama_verdict(*again)) return {};
  return again;
}

void propose(const Case& c, Message title, std::vector<Change> changes, Safety safety,
             std::vector<Proposal>& proposals) {
  if (!well_with(c, changes)) return;
  proposals.push_back({.title = std::move(title), .changes = std::move(changes), .safety = safety});
}

std::string shares_text(const std::vector<std::int64_t>& shares) {
  std::string text;
  for (const std::int64_t share : shares) text += (text.empty() ? "" : ",") + std::to_string(share);
  return text;
}

}  // namespace

std::optional<LlamaVerdict> llama_verdict(const Case& c) {
  auto place = llama_placement(c);
  if (!place || place->devices.empty()) return {};
  LlamaVerdict verdict;
  Bytes worst{INT64_MIN / 2};
  bool over = false, certain = false;
  for (std::size_t i = 0; i < place->devices.size(); ++i) {
    const LlamaDevice& device = place->devices[i];
    const Bytes missing = device.needed() - device.free;
    if (missing > worst) worst = missing, verdict.device = i;
    over = over || missing > Bytes{0};
    certain = certain || device.needed_low > device.free;
  }
  if (!over) return {};
  verdict.what = break_of(*place);
  verdict.certain = certain;
  verdict.place = std::move(*place);
  return verdict;
}

std::string gpu_word(const Case& c, const LlamaDevice& device) {
  const auto at = static_cast<std::size_t>(device.gpu);
  const int number = at < c.visible.gpus.size() ? c.visible.gpus[at] : device.gpu;
  return "GPU " + std::to_string(number);
}

void tell_devices(const Case& c, const LlamaPlacement& place, Diagnostic& d) {
  constexpr std::size_t kMost = 8;  // a reader needs no more to see the pattern
  for (std::size_t i = 0; i < std::min(kMost, place.devices.size()); ++i) {
    const LlamaDevice& device = place.devices[i];
    d.basis.push_back({kDevice,
                       {{"gpu", gpu_word(c, device)},
                        {"weights", in_gib(device.weights)},
                        {"cache", in_gib(device.cache)},
                        {"step", in_gib(device.step)},
                        {"runtime", in_gib(device.runtime)},
                        {"sum", in_gib(device.needed())},
                        {"free", device.free}}});
  }
}

void propose_shorter_context(const Case& c, std::vector<Proposal>& proposals) {
  const auto place = llama_placement(c);
  if (!place) return;
  const auto with = [](Tokens length) {
    return std::vector{set_flag("--ctx-size", std::to_string(length.count()))};
  };
  constexpr Tokens kShortest{1024};  // a shorter one helps nobody
  Tokens length = rounded_down(place->context - Tokens{1});
  for (int tries = 0; tries < 60 && length >= kShortest; ++tries) {
    if (well_with(c, with(length))) {
      proposals.push_back({.title = {kContext, {{"length", length}, {"now", place->context}}},
                           .changes = with(length),
                           .safety = Safety::Trades});
      return;
    }
    length = rounded_down(length - Tokens{1});
  }
}

void propose_smaller_cache(const Case& c, std::vector<Proposal>& proposals) {
  if (c.serve.kv_dtype.asked() || c.serve.value_kv_dtype.asked()) return;
  propose(c, kSmallCache, {set_flag("--cache-type-k", "q8_0"), set_flag("--cache-type-v", "q8_0")},
          Safety::Trades, proposals);
}

void propose_fewer_layers(const Case& c, std::vector<Proposal>& proposals) {
  const auto place = llama_placement(c);
  if (!place) return;
  if (c.serve.use_of("--gpu-layers") != nullptr) {
    propose(c, kOwnChoice, {remove_flag("--gpu-layers")}, Safety::ChangesBehaviour, proposals);
  }
  int low = 0, high = place->layers_on_gpus - 1;
  const auto with = [](int count) {
    return std::vector{set_flag("--gpu-layers", std::to_string(count))};
  };
  while (low < high) {
    const int middle = high - (high - low) / 2;
    if (well_with(c, with(middle))) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  if (low <= 0) return;
  propose(c, {kLayers, {{"count", low}, {"layers", place->layers}}}, with(low), Safety::Trades,
          proposals);
}

void propose_experts_on_host(const Case& c, std::vector<Proposal>& proposals) {
  if (!c.model().is_moe() || c.serve.use_of("--cpu-moe") != nullptr) return;
  propose(c, kExperts, {add_switch("--cpu-moe")}, Safety::Trades, proposals);
}

void propose_other_shares(const Case& c, const LlamaPlacement& place,
                          std::vector<Proposal>& proposals) {
  if (lower(c.serve.split_mode.value_or("")) == "none")
    propose(c, kAllGpus, {remove_flag("--split-mode")}, Safety::ChangesBehaviour, proposals);
  const bool asked = c.serve.use_of("--tensor-split") != nullptr;
  if (asked)
    propose(c, kByMemory, {remove_flag("--tensor-split")}, Safety::ChangesBehaviour, proposals);
  // As many layers as each card holds beside what it needs anyway.
  std::vector<std::int64_t> shares;
  Bytes weights, cache;
  for (const LlamaDevice& device : place.devices) weights += device.weights, cache += device.cache;
  const std::int64_t layer =
      std::max<std::int64_t>(1, (weights + cache).count() / std::max(1, place.layers_on_gpus));
  for (const LlamaDevice& device : place.devices) {
    const Bytes fixed = std::max(device.step, place.step_of_one_copy) + device.runtime;
    shares.push_back(std::max<std::int64_t>(0, (device.free - fixed).count() / layer));
  }
  const std::string text = shares_text(shares);
  const FlagUse* use = c.serve.use_of("--tensor-split");
  const std::string now = use == nullptr || use->values.empty() ? "-" : use->values.front();
  propose(c, {kShares, {{"shares", text}, {"now", now}}}, {set_flag("--tensor-split", text)},
          Safety::ChangesBehaviour, proposals);
}

void propose_smaller_steps(const Case& c, std::vector<Proposal>& proposals) {
  const std::int64_t now =
      c.serve.physical_batch.known() ? c.serve.physical_batch.value().count() : 0;
  for (std::int64_t count = 4096; count >= 64; count /= 2) {
    if (now > 0 && count >= now) continue;
    const std::vector<Change> changes{set_flag("--ubatch-size", std::to_string(count))};
    if (!well_with(c, changes)) continue;
    const Message title = {kSteps, {{"count", Tokens{count}}, {"now", Tokens{now}}}};
    proposals.push_back({.title = title, .changes = changes, .safety = Safety::Trades});
    return;
  }
}

}  // namespace sx::rules
