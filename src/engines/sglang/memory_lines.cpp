// The share is of what is free after the runtime and the collectives have taken theirs; weights
// come off it, the rest is KV cache. Graphs and activations live in what lies outside.
#include "engines/sglang/memory_lines.h"

#include <algorithm>

#include "engines/budget_parts.h"
#include "engines/learned_lines.h"

namespace sx {
namespace {

constexpr double kMib = 1024.0 * 1024;

constexpr Text kContext{"context, kernels, collectives", "CUDA 上下文、内核与集合通信"};
constexpr Text kDraftLayers{"draft layers with the target's widths", "与目标模型同宽的草稿层"};
constexpr Text kDraftModel{"the draft model", "草稿模型"};
constexpr Text kDraftUnknown{"the draft's own size is not known: one layer like the target's",
                             "草稿模型的大小未知：按一层目标模型的层计算"};
constexpr Text kReckoned{"as the engine reckons them", "按引擎自己的算法"};
constexpr Text kNoGraphs{"no CUDA graphs", "不用 CUDA graph"};
constexpr Text kStep{"a step of {tokens} tokens; the engine does not measure it",
                     "一步 {tokens} 个 token；引擎不做实测"};
constexpr Text kCut{"more is needed than is left", "需要的比剩下的多"};
constexpr Text kLeftOut{"left out by --mem-fraction-static", "由 --mem-fraction-static 留出"};
constexpr Text kLeftByDefault{"left out by the engine's own fraction of {fraction}",
                              "由引擎自己的占比 {fraction} 留出"};

double real(std::int64_t number) { return static_cast<double>(number); }

int ranks_a_stage(const SglangQuestion& q) { return q.settings.tensor; }

WeightsAsk weights_ask(const SglangQuestion& q, const Gpu& gpu) {
  Layout layout = q.layout;
  layout.data = 1;  // experts are shared out within the tensor group
  layout.prefill_context = 1;
  const auto& s = q.settings;
  return {
      .layout = layout,
      .stage_layers = q.stages,
      .quantization_flag = q.c.model().is_quantised() ? "" : q.c.serve.quantization.value_or(""),
      .dtype_bytes = s.dtype_bytes,
      .capability = gpu.capability.value_or({}),
      .vocabulary_padding = static_cast<int>(sglang_constant("vocab-padding", s.version).value),
      .without_vision = q.c.serve.language_model_only.value_or(false),
      .whole_vision_tower = q.c.serve.encoder_data_parallel.value_or(false),
      .attention_ranks = s.attention_ranks};
}

BudgetLine runtime_line(const SglangQuestion& q) {
  const int ranks = q.settings.tensor * q.settings.pipeline;
  const std::string_view row = ranks == 1   ? "runtime-one-gpu"
                               : ranks == 2 ? "runtime-tp2"
                                            : "runtime-tp4";
  return line_of_gib("runtime", sglang_constant(row, q.settings.version), {kContext});
}

// One layer like the target's, and the matrix that joins two hidden states.
BudgetLine draft_of_layers(const SglangQuestion& q, const Gpu& gpu) {
  WeightsAsk ask = weights_ask(q, gpu);
  const auto of_layers = [&](int layers) {
    ask.stage_layers = {std::max(0, q.c.model().layers.value_or(0) - layers), layers};
    const auto weights = rank_weights(q.c.model(), ask);
    return weights.size() == 2 ? weights.back().bytes : Bytes{0};
  };
  const Bytes layer = std::max(of_layers(2) - of_layers(1), Bytes{0});
  const double joined = 2 * real(q.shape.hidden) * real(q.shape.hidden) * q.settings.dtype_bytes;
  const Bytes all =
      whole_bytes((static_cast<double>(layer.count()) + joined) * q.settings.draft_layers);
  const bool own = q.settings.draft_model.empty();
  return {.name = "draft",
          .bytes = all,
          .low = Bytes{0},
          .high = own ? all + all / 4 : all * 2,
          .origin = own ? Origin::Formula : Origin::Assumed,
          .notes = {own ? kDraftLayers : kDraftUnknown}};
}

BudgetLine draft_line(const SglangQuestion& q, const Gpu& gpu) {
  const auto& s = q.settings;
  BudgetLine none{.name = "draft"};
  if (s.draft == SglangDraft::None || s.draft == SglangDraft::Lookup) return none;
  const ModelSpec* draft =
      s.draft_model.empty() || !q.c.find_model ? nullptr : q.c.find_model(s.draft_model);
  if (draft != nullptr && draft->layers.known()) {
    WeightsAsk ask = weights_ask(q, gpu);
    ask.quantization_flag.clear();
    ask.stage_layers = {draft->layers.value()};
    const auto weights = rank_weights(*draft, ask);
    if (!weights.empty()) {
      const RankWeights& of = weights.front();
      return {.name = "draft",
              .bytes = of.bytes,
              .low = of.low,
              .high = of.high,
              .origin = of.origin,
              .notes = {kDraftModel}};
    }
  }
  return s.draft_layers > 0 ? draft_of_layers(q, gpu) : none;
}

BudgetLine graphs_line(const SglangQuestion& q) {
  const double mib =
      sglang_decode_graphs_mib(q.settings) + sglang_prefill_graphs_mib(q.settings, q.shape);
  BudgetLine line{.name = "graphs", .bytes = whole_bytes(mib * kMib)};
  line.low = line.bytes / 2;  // what start-up logs show lies between half of it and twice
  line.high = line.bytes * 2;
  line.notes = {mib > 0 ? kReckoned : kNoGraphs};
  return line;
}

// Tokens that one rank works on in the largest step.
std::int64_t tokens_at_once(const SglangSettings& s) {
  const std::int64_t chunk = s.chunk > 0 ? s.chunk / s.attention_data : s.prompts;
  return std::max<std::int64_t>(1, chunk);
}

BudgetLine activations_line(const SglangQuestion& q, bool last_stage) {
  const auto& s = q.settings;
  const Constant width = sglang_constant("forward-per-width", s.version),
                 hidden = sglang_constant("forward-per-hidden", s.version),
                 sampler = sglang_constant("sampler-bytes", s.version);
  const double tokens = real(tokens_at_once(s));
  const double dense = real(q.shape.width),
               of_experts =
                   real(q.shape.experts_per_token * q.shape.expert_width + q.shape.shared_width);
  const double widest = (q.shape.experts > 0 ? std::max(of_experts, 1.0) : dense) / s.tensor;
  const double rows = last_stage ? real(std::max<std::int64_t>(s.graph_batch, 1)) : 0;
  const double vocabulary = real(q.shape.vocabulary);
  const auto sum = [&](double per_width, double per_hidden, double per_entry) {
    const double forward =
        tokens * s.dtype_bytes * (per_width * widest + per_hidden * real(q.shape.hidden));
    return whole_bytes(std::max(forward, per_entry * rows * vocabulary));
  };
  BudgetLine line{.name = "activations",
                  .bytes = sum(width.value, hidden.value, sampler.value),
                  .low = sum(width.low, hidden.low, sampler.low),
                  .high = sum(width.high, hidden.high, sampler.high),
                  .origin = Origin::Assumed};
  line.notes = {Message{kStep, {{"tokens", Tokens{tokens_at_once(s)}}}}};
  return line;
}

// What of the room outside the share a line can have.
BudgetLine cut_to(BudgetLine line, Bytes& left) {
  if (line.bytes > left) line.notes.add(kCut);
  line.bytes = std::min(line.bytes, std::max(left, Bytes{0}));
  line.low = line.high = line.bytes;  // its own band does not move the pool
  left -= line.bytes;
  return line;
}

// How much the runtime sees of a card, and what the share is, are part of the uncertainty.
BudgetLine unused_line(const SglangQuestion& q, const Gpu& gpu, Bytes bytes, Bytes pictures) {
  const SglangShare& share = q.share;
  const Bytes capacity = gpu.usable.value();
  const Bytes least = gpu.usable_low.value_or(capacity), most = gpu.usable_high.value_or(capacity);
  BudgetLine line{.name = "unused", .bytes = bytes + pictures};
  const Bytes more = fraction_of(std::max(most - capacity, Bytes{0}), share.fraction) +
                     fraction_of(capacity, std::max(share.high - share.fraction, 0.0));
  const Bytes less = fraction_of(std::max(capacity - least, Bytes{0}), share.fraction) +
                     fraction_of(capacity, std::max(share.fraction - share.low, 0.0));
  line.low = line.bytes - more - pictures;
  line.high = line.bytes + less;
  line.origin = q.share.asked ? q.c.serve.memory_fraction.origin() : Origin::Default;
  line.notes = {q.share.asked ? Message{kLeftOut}
                              : Message{kLeftByDefault, {{"fraction", share.fraction}}}};
  return line;
}

}  // namespace

std::vector<RankWeights> sglang_weights(const SglangQuestion& q, const Gpu& gpu) {
  return rank_weights(q.c.model(), weights_ask(q, gpu));
}

BudgetLine sglang_weights_line(const SglangQuestion& q, const RankWeights& weights) {
  return less_offloaded({.name = "weights",
                         .bytes = weights.bytes,
                         .low = weights.low,
                         .high = weights.high,
                         .origin = weights.origin,
                         .notes = weights.notes},
                        q.c.serve.cpu_offload.value_or(Bytes{0}));
}

SglangNeed sglang_graphs_need(const SglangQuestion& q) {
  const SglangSettings& s = q.settings;
  const double reckoned = sglang_decode_graphs_mib(s) + sglang_prefill_graphs_mib(s, q.shape);
  const double alone =
      sglang_number("graphs-per-sequence", s.version) * static_cast<double>(s.graph_batch) +
      sglang_prefill_graphs_mib(s, q.shape);
  constexpr double kLeast = 0.25, kMost = 1.5;  // of what start-up logs show
  return {.bytes = whole_bytes(alone * kMib),
          .low = whole_bytes(alone * kLeast * kMib),
          .high = whole_bytes(std::max(reckoned, alone * kMost) * kMib)};
}

SglangLines sglang_lines(const SglangQuestion& q, int rank, const RankWeights& weights) {
  const Gpu& gpu = *q.gpus[static_cast<std::size_t>(rank)];
  const int stage = rank / ranks_a_stage(q);
  const bool last = stage + 1 == q.settings.pipeline;
  SglangLines lines;
  lines.weights = sglang_weights_line(q, weights);
  lines.runtime = runtime_line(q);
  lines.graphs = graphs_line(q);
  lines.activations = activations_line(q, last);
  lines.draft = last ? draft_line(q, gpu) : BudgetLine{.name = "draft"};
  lines.draft_in_share = sglang_number("draft-in-share", q.settings.version) != 0;
  const Bytes before = std::max(gpu.usable.value() - lines.runtime.bytes, Bytes{0});
  lines.before = before;
  lines.slack = before - fraction_of(before, q.share.fraction);
  if (!lines.draft_in_share) lines.slack -= lines.draft.bytes;
  if (q.settings.with_vision)
    lines.pictures = whole_bytes(sglang_number("picture-cache", q.settings.version) * kMib);
  return lines;
}

GpuBudget sglang_gpu(const SglangQuestion& q, int rank, const SglangLines& lines) {
  const Gpu& gpu = *q.gpus[static_cast<std::size_t>(rank)];
  GpuBudget budget{.gpu = rank,
                   .stage = rank / ranks_a_stage(q),
                   .rank = rank % ranks_a_stage(q),
                   .capacity = gpu.usable.value()};
  Bytes left = lines.slack;
  BudgetLine draft = lines.draft;
  if (!lines.draft_in_share) draft.low = draft.high = draft.bytes;
  budget.lines.push_back(lines.weights);
  if (draft.bytes > Bytes{0}) budget.lines.push_back(draft);
  budget.lines.push_back(cut_to(lines.activations, left));
  budget.lines.push_back(cut_to(lines.graphs, left));
  budget.lines.push_back(lines.runtime);
  budget.lines.push_back(unused_line(q, gpu, std::max(left, Bytes{0}), lines.pictures));
  if (const LearnedRun* learned = learned_run(q.c, q.layout))
    budget =
        with_learned(std::move(budget), Bytes{0}, *learned);  // what is unused is a line already
  return balanced(std::move(budget));
}

}  // namespace sx
