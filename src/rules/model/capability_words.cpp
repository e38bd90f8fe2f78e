// A format that the card is too old for: title, reason, ways out.
#include "rules/model/capability_words.h"

#include "check/layouts.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{format} need compute capability {need}, {card} has {have}",
                      "{format}要求计算能力 {need}，{card} 只有 {have}"};
constexpr Text kMethodTitle{
    "the method {format} needs compute capability {need}, {card} has {have}",
    "量化方法 {format} 要求计算能力 {need}，{card} 只有 {have}"};
constexpr Text kBecause{"{engine} has kernels for this format from compute capability {need} on",
                        "{engine} 对这种格式的内核从计算能力 {need} 开始提供"};
constexpr Text kMethod{
    "the engine exits while it puts its configuration together, in the first minute, before it "
    "loads any weights",
    "引擎在汇总配置时退出（第一分钟内），此时尚未加载权重"};
constexpr Text kScheme{"the ranks exit while they build the model, before they load any weights",
                       "各 rank 在构建模型时退出，此时尚未加载权重"};

constexpr OfEngine kMethodOf[] = {{"sglang", kScheme}};

constexpr Text kSixteen{"without {flag}: the weights stay in 16 bit and take twice the memory",
                        "去掉 {flag}：权重保持 16 位，占用两倍显存"};
constexpr Text kOlderKernel{"{method} instead: slower kernels that this card can run",
                            "改用 {method}：这张卡能运行的较慢内核"};

constexpr Text kSibling{
    "the same model in another format: {id} ({layout}; {tokens} tokens of KV cache)",
    "同一模型的另一种格式：{id}（{layout}；KV 缓存可容 {tokens} 个 token）"};

constexpr Text kNewer{
    "{engine} {version} runs this format on {card}; with this version it takes a card of the "
    "generations {generations}, or the "
    "model in another format",
    "{engine} {version} 起可在 {card} 上运行这种格式；在当前版本上需要 {generations} 这几代的 "
    "GPU，或换一种格式的模型"};
constexpr Text kOther{
    "it takes a card of the generations {generations}, or the model in another format (16 bit, "
    "GPTQ, AWQ)",
    "需要 {generations} 这几代的 GPU，或换一种格式的模型（16 位、GPTQ、AWQ）"};

void propose(const Case& c, const NumberFormat& format, Complaint& complaint) {
  if (format.by_flag) {
    complaint.proposals.push_back(
        {.title = {kSixteen, {{"flag", own_flag(c.serve, "--quantization")}}},
         .changes = {remove_flag("--quantization")},
         .safety = Safety::Trades});
    return;
  }
  if (format.method == "awq_marlin" || format.method == "gptq_marlin") {
    const std::string older = format.method.substr(0, format.method.find('_'));
    complaint.proposals.push_back({.title = {kOlderKernel, {{"method", older}}},
                                   .changes = {set_flag("--quantization", older)}});
  }
  for (Proposal& sibling : sibling_proposals(c, 4)) {
    sibling.title.text = kSibling;  // not always fewer bits
    complaint.proposals.push_back(std::move(sibling));
  }
}

Message what_helps(const Case& c, const NumberFormat& format, const CapabilityGap& gap,
                   const Gpu& gpu) {
  const Argument generations("generations", generations_from(gap.need));
  if (const auto version = version_for(format, c.serve, gap.have)) {
    return {kNewer,
            {{"engine", engine_name(c.serve)},
             {"version", version->text()},
             {"card", card_words(c, gpu)},
             generations}};
  }
  return {kOther, {generations}};
}

}  // namespace

std::optional<CapabilityGap> capability_gap(const Case& c, const NumberFormat& format,
                                            const Gpu& gpu) {
  const auto need = needed_capability(format, c.serve);
  const ComputeCapability have = gpu.capability.value();
  if (!need || have >= *need) return {};
  const QuantisationRow* method =
      quantisation_in(c.serve.engine, QuantisationKind::Method, format.method, c.serve.version);
  return CapabilityGap{.need = *need,
                       .have = have,
                       .method_need = method == nullptr ? std::nullopt : method->capability};
}

Message refused(const Case& c, const NumberFormat& format, const CapabilityGap& gap) {
  const bool by_method = !gap.method_need || gap.have < *gap.method_need;
  return by_method || format.scheme.empty() ? Message{of_engine(c.serve, kMethodOf, kMethod)}
                                            : Message{kScheme};
}

Complaint too_old(const Case& c, const NumberFormat& format, const CapabilityGap& gap,
                  const Gpu& gpu) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  Argument words("format", "");
  words.value = format_words(format);
  const Argument need("need", gap.need.text());
  const bool rare =
      std::holds_alternative<std::string>(words.value);  // goes by the engine's own name
  d.title = {rare ? kMethodTitle : kTitle,
             {words, need, {"card", card_words(c, gpu)}, {"have", gap.have.text()}}};
  mark_format(c, d, format);
  d.because = {kBecause, {need, {"engine", engine_and_version(c.serve)}}};
  d.otherwise = refused(c, format, gap);
  d.subject = "quantisation";
  propose(c, format, complaint);
  d.no_fix = what_helps(c, format, gap, gpu);
  return complaint;
}

}  // namespace sx::rules
