// SX3114. The long explanation and the scenes are in host_memory_short.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/memory_verdict.h"
#include "check/rule.h"
#include "check/run_rules.h"
#include "check/speak.h"
#include "engines/engine.h"
#include "engines/llamacpp/memory.h"
#include "engines/sglang/memory_settings.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"the launch takes {need} of host memory, {limit} may be used",
                      "启动命令要占 {need} 内存，可用上限为 {limit}"};
constexpr Text kOffload{"weights offloaded: {each} for each of {ranks} ranks",
                        "卸载的权重：{ranks} 个 rank，每个 {each}"};
constexpr Text kSwap{"swap space: {each} for each of {ranks} ranks",
                     "交换空间：{ranks} 个 rank，每个 {each}"};
constexpr Text kHostPool{"host pool of the KV cache: {each} for each of {ranks} ranks",
                         "内存中的 KV 缓存池：{ranks} 个 rank，每个 {each}"};
constexpr Text kWeights{"weights of the layers that stay in host memory: {each}",
                        "留在内存中的层的权重：{each}"};
constexpr Text kCache{"their KV cache, and one step: {each}", "这些层的 KV 缓存和一步计算：{each}"};
constexpr Text kOfContainer{"a limit on the container", "容器的内存限制"};
constexpr Text kOfHost{"memory of the machine", "机器的内存"};
constexpr Text kLimit{"{limit}: {what}", "{limit}：{what}"};
constexpr Text kBecause{
    "pinned buffers and loaded layers are taken from host memory at the start, within the limit of "
    "the container or the machine",
    "锁页缓冲和加载的层在启动时就占用内存，不能超过容器或机器的上限"};
constexpr Text kOtherwise{
    "the kernel ends a process while it loads (\"Killed\", exit code 137), or the engine refuses "
    "to "
    "allocate",
    "加载期间内核会结束进程（“Killed”，退出码 137），或引擎拒绝分配"};
constexpr Text kMapped{
    "layers are read from the file again and again: minutes a token when they do not fit",
    "放不下的层会反复从文件读取：每个 token 可能要几分钟"};
constexpr Text kLess{"{flag} of {value} instead of {now}", "{flag} 用 {value}，而不是 {now}"};
constexpr Text kNoFix{
    "raise the limit of the container to at least {need}, or use a machine with more",
    "把容器的内存限制提高到至少 {need}，或换内存更大的机器"};

struct Part {
  Text text;
  Bytes each;
  std::int64_t ranks = 1;
  const FlagUse* flag = nullptr;

  Bytes all() const { return each * ranks; }
};

struct Limit {
  Bytes bytes;
  std::optional<Span> span;
  bool of_container = false;
};

std::optional<Limit> limit_of(const Case& c) {
  std::optional<Limit> least;
  const auto take = [&least](const Fact<Bytes>& fact, bool container) {
    if (!fact.known() || fact.value() <= Bytes{0}) return;
    if (!least || fact.value() < least->bytes) least = Limit{fact.value(), fact.span(), container};
  };
  take(c.around.memory_limit, true);
  take(c.host().memory_limit, true);
  take(c.host().memory, false);
  return least;
}

std::optional<double> number_of(const FlagUse* use) {
  if (use == nullptr || use->values.empty() || !use->complete) return {};
  const auto number = to_number(use->values.front());
  constexpr double kMost = 1e6;  // GiB; more is a mistake that other rules name
  return number && *number > 0 && *number < kMost ? number : std::nullopt;
}

// More than a rank holds is not moved.
Bytes weights_of_rank(const Case& c) {
  constexpr Bytes kUnknown = gib(1'000'000);
  const auto again = asked_again(c, std::vector{remove_flag("--cpu-offload-gb")});
  const auto budget = again ? budget_of(*again) : std::nullopt;
  if (!budget) return kUnknown;
  Bytes least = kUnknown;
  for (const GpuBudget& gpu : budget->gpus) {
    if (const BudgetLine* weights = gpu.line("weights")) least = std::min(least, weights->low);
  }
  return least;
}

void add_gib(const Case& c, const char* flag, Text text, std::vector<Part>& parts) {
  const FlagUse* use = c.serve.use_of(flag);
  const auto number = number_of(use);
  if (!number) return;
  const std::int64_t ranks = std::max(1, c.serve.gpus_wanted().value_or(1));
  Bytes each = fraction_of(gib(1), *number);
  if (use->name == "--cpu-offload-gb") each = std::min(each, weights_of_rank(c));
  parts.push_back({text, each, ranks, use});
}

// --hicache-size counts 10^9 bytes; the ratio goes by the pool of the device.
void add_host_pool(const Case& c, std::vector<Part>& parts) {
  if (c.serve.use_of("--enable-hierarchical-cache") == nullptr) return;
  const std::int64_t ranks = std::max(1, c.serve.gpus_wanted().value_or(1));
  const FlagUse* size = c.serve.use_of("--hicache-size");
  if (const auto asked = number_of(size)) {
    parts.push_back({kHostPool, fraction_of(Bytes{1'000'000'000}, *asked), ranks, size});
    return;
  }
  const auto budget = budget_of(c);
  if (!budget || budget->gpus.empty()) return;
  const FlagUse* ratio = c.serve.use_of("--hicache-ratio");
  const double times =
      number_of(ratio).value_or(sglang_constant("host-pool-ratio", c.serve.version).value);
  if (times <= 0) return;  // sized by what is free
  parts.push_back({kHostPool, fraction_of(budget->tightest().kv_bytes, times), ranks,
                   ratio != nullptr ? ratio : c.serve.use_of("--enable-hierarchical-cache")});
}

void add_layers(const Case& c, std::vector<Part>& parts) {
  const auto place = llama_placement(c);
  if (!place || place->layers_on_gpus >= place->layers) return;
  const FlagUse* flag = c.serve.use_of("--gpu-layers");
  parts.push_back({kWeights, place->host_weights, 1, flag});
  parts.push_back({kCache, place->host_cache + place->host_step, 1, nullptr});
}

std::vector<Part> parts_of(const Case& c) {
  std::vector<Part> parts;
  if (c.serve.engine == "llamacpp") {
    add_layers(c, parts);
    return parts;
  }
  add_gib(c, "--cpu-offload-gb", kOffload, parts);
  add_gib(c, "--swap-space", kSwap, parts);
  if (c.serve.engine == "sglang") add_host_pool(c, parts);
  return parts;
}

// The largest whole number of the largest flag's unit with which all fits.
void propose_less(const Part& largest, Bytes rest, Bytes limit, std::vector<Proposal>& proposals) {
  if (largest.flag == nullptr || largest.flag->values.empty()) return;
  const std::string& name = largest.flag->name;
  const bool counts =
      name == "--cpu-offload-gb" || name == "--swap-space" || name == "--hicache-size";
  if (!counts) return;
  constexpr Bytes kSpared = gib(4);  // processes and page cache want some too
  const std::int64_t unit = name == "--hicache-size" ? 1'000'000'000 : gib(1).count();
  const std::int64_t most = (limit - rest - kSpared).count() / largest.ranks / unit;
  if (most < 1) return;
  const std::string value = std::to_string(most);
  const Message title = {kLess,
                         {{"flag", name}, {"value", value}, {"now", largest.flag->values.front()}}};
  proposals.push_back({.title = title, .changes = {set_flag(name, value)}});
}

void tell_parts(const std::vector<Part>& parts, Diagnostic& d) {
  for (const Part& part : parts) {
    std::vector<Argument> arguments{{"each", part.each}};
    if (part.text.in(Language::English).find("{ranks}") != std::string_view::npos)
      arguments.emplace_back("ranks", part.ranks);
    const Message message{part.text, std::move(arguments)};
    if (part.flag != nullptr && part.flag->span.source >= 0 && d.labels.size() < 2) {
      mark(d, part.flag->span, message);
    } else {
      d.basis.push_back(message);
    }
  }
}

std::vector<Complaint> check(const Case& c) {
  const auto limit = limit_of(c);
  const std::vector<Part> parts = parts_of(c);
  if (!limit || parts.empty()) return {};
  Bytes need;
  for (const Part& part : parts) need += part.all();
  if (need <= limit->bytes) return {};

  Complaint complaint;
  // Layers mapped from a file are read again where memory is short: slow, not impossible.
  const bool mapped = c.serve.engine == "llamacpp";
  complaint.severity = mapped ? Severity::Warning : Severity::Error;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  d.title = {kTitle, {{"need", need}, {"limit", limit->bytes}}};
  tell_parts(parts, d);
  const Message of{limit->of_container ? kOfContainer : kOfHost};
  const Message told{
      kLimit, {{"limit", limit->bytes}, {"what", limit->of_container ? kOfContainer : kOfHost}}};
  if (limit->span) {
    d.labels.push_back({*limit->span, of, d.labels.empty()});
  } else {
    d.basis.push_back(told);
  }
  d.because = kBecause;
  d.otherwise = mapped ? kMapped : kOtherwise;
  d.subject = "host-memory";
  d.no_fix = {kNoFix, {{"need", need + gib(4)}}};
  const auto largest = std::ranges::max_element(parts, {}, &Part::all);
  propose_less(*largest, need - largest->all(), limit->bytes, complaint.proposals);
  return {complaint};
}

// Only a launch that takes host memory asks how much there is.
std::vector<Need> open(const Case& c) {
  if (met(Need::HostMemory, c) || parts_of(c).empty()) return {};
  return {Need::HostMemory};
}

}  // namespace

extern const Rule host_memory_short{
    .code = "SX3114",
    .name = "host-memory-short",
    .severity = Severity::Error,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
