// Sum of a stage's operations. Ranks of a tensor group hold equal parts, so one rank's time is the
// step's.
#include "fit/step_speed.h"

#include <algorithm>
#include <cmath>

#include "fit/attention_speed.h"
#include "fit/experts_speed.h"

namespace sx {
namespace {

double real(std::int64_t count) { return static_cast<double>(count); }

// A rank holds at least one head.
double on_rank(std::int64_t heads, int tensor) {
  return std::max(1.0, real(heads) / static_cast<double>(tensor));
}

struct Heads {
  double query = 1, kv = 1, key_dim = 0, value_dim = 0;
};
Heads heads_of(const ModelSplit& split, bool wide) {
  const Shape& s = split.shape;
  Heads heads{.query = on_rank(s.heads, split.tensor),
              .kv = on_rank(s.kv_heads, split.tensor),
              .key_dim = real(s.head_dim),
              .value_dim = real(s.head_dim)};
  if (wide) {
    heads.kv = on_rank(split.wide.kv_heads, split.tensor);
    heads.key_dim = heads.value_dim = real(split.wide.head_dim);
  }
  return heads;
}

double projections(const ModelSplit& split, const CardSpeed& card, const LayerClass& layer,
                   double rows) {
  const Shape& s = split.shape;
  const double h = real(s.hidden);
  const WeightFormat& format = split.formats.attention;
  const auto product = [&](double columns, double inner, const WeightFormat& weights) {
    return gemm_seconds(card, {.rows = rows, .columns = columns, .inner = inner}, weights);
  };
  if (layer.kind == LayerKind::Linear) {
    const double keys = on_rank(s.linear_key_heads, split.tensor) * real(s.linear_key_dim);
    const double values = on_rank(s.linear_value_heads, split.tensor) * real(s.linear_value_dim);
    return product(2 * keys + 2 * values, h, format) + product(h, values, format);
  }
  if (layer.latent) {
    const double heads = on_rank(s.heads, split.tensor);
    const double nope = real(s.qk_nope), rope = real(s.qk_rope), value = real(s.v_head);
    const double queries = heads * (nope + rope);
    const double down = (s.q_lora > 0 ? real(s.q_lora) : queries) + real(s.kv_lora) + rope;
    double seconds = product(down, h, format) + product(h, heads * value, format) +
                     product(heads * (nope + value), real(s.kv_lora), split.formats.plain);
    if (s.q_lora > 0) seconds += product(queries, real(s.q_lora), format);
    return seconds;
  }
  const Heads heads = heads_of(split, layer.wide);
  const double queries = heads.query * heads.key_dim * (s.gated_query ? 2 : 1);
  const double keys_and_values = heads.kv * (heads.key_dim + heads.value_dim);
  return product(queries + keys_and_values, h, format) +
         product(h, heads.query * heads.value_dim, format);
}

double dense_mlp(const ModelSplit& split, const CardSpeed& card, double width, double rows) {
  const double h = real(split.shape.hidden);
  const double own = width / split.tensor;
  return gemm_seconds(card, {.rows = rows, .columns = 2 * own, .inner = h}, split.formats.dense) +
         gemm_seconds(card, {.rows = rows, .columns = h, .inner = own}, split.formats.dense);
}

double mlp(const ModelSplit& split, const SpeedStage& stage, const EngineSpeed& engine,
           const LayerClass& layer, double rows) {
  const Shape& s = split.shape;
  if (!layer.experts) return dense_mlp(split, stage.card, real(s.width), rows);
  const bool whole = split.expert_ranks > 1;
  const double here = whole ? std::ceil(real(s.experts) / split.expert_ranks) : real(s.experts);
  double seconds = experts_seconds(stage.card, engine,
                                   {.tokens = rows * split.expert_replicas,
                                    .hidden = real(s.hidden),
                                    .width = expert_width_here(split),
                                    .experts = real(s.experts),
                                    .here = here,
                                    .a_token = real(s.experts_per_token),
                                    .padding = stage.expert_padding},
                                   split.formats.expert, stage.experts);
  // The shared expert runs beside the others.
  if (s.shared_width > 0)
    seconds = std::max(seconds, dense_mlp(split, stage.card, real(s.shared_width), rows));
  seconds +=
      gemm_seconds(stage.card, {.rows = rows, .columns = real(s.experts), .inner = real(s.hidden)},
                   split.formats.plain);
  return seconds;
}

// One sum behind attention, one behind the MLP; where replicas share experts, the second goes
// through all of their ranks.
double collectives(const ModelSplit& split, const SpeedStage& stage, const EngineSpeed& engine,
                   const LayerClass& layer, double rows) {
  constexpr double kActivation = 2;  // bytes
  const double bytes = kActivation * rows * real(split.shape.hidden);
  const double own = all_reduce_seconds(stage.links, engine, bytes);
  if (!layer.experts || split.expert_replicas < 2) return 2 * own;
  return own + all_reduce_seconds(stage.expert_links, engine, bytes * split.expert_replicas);
}

double looked_at(const ModelSplit& split, const LayerClass& layer, double length) {
  const bool local = layer.kind == LayerKind::Sliding || layer.kind == LayerKind::Chunked;
  return local && split.window > 0 ? std::min(length, split.window) : length;
}

double decode_core(const ModelSplit& split, const CardSpeed& card, const LayerClass& layer,
                   double sequences, double length) {
  const Shape& s = split.shape;
  if (layer.kind == LayerKind::Linear)
    return linear_decode_seconds(card, sequences, split.state_bytes);
  if (layer.latent) {
    const double seen = split.sparse_tokens > 0 ? std::min(length, split.sparse_tokens) : length;
    const double main = latent_attention_seconds(card, {.sequences = sequences,
                                                        .length = seen,
                                                        .token_bytes = layer.token_bytes,
                                                        .heads = on_rank(s.heads, split.tensor),
                                                        .latent = real(s.kv_lora),
                                                        .rope = real(s.qk_rope)});
    if (split.sparse_tokens <= 0) return main;
    // The indexer reads its keys of every token to choose those that are looked at.
    const AttentionLaw& law = *card.attention;
    return main + law.latent_start_us * kMicrosecond +
           sequences * length * split.indexer_bytes / (law.memory * card.memory);
  }
  return decode_attention_seconds(card, {.sequences = sequences,
                                         .length = looked_at(split, layer, length),
                                         .token_bytes = layer.token_bytes,
                                         .kv_heads = heads_of(split, layer.wide).kv});
}

double prefill_core(const ModelSplit& split, const CardSpeed& card, const LayerClass& layer,
                    double length, double chunks) {
  const Shape& s = split.shape;
  if (layer.kind == LayerKind::Linear) return linear_prefill_seconds(card, length);
  PrefillAttention ask{
      .length = length, .window = looked_at(split, layer, length), .chunks = chunks};
  const Heads heads = heads_of(split, layer.wide);
  ask.heads = heads.query;
  ask.key_dim = heads.key_dim;
  ask.value_dim = heads.value_dim;
  if (layer.latent) {
    ask.key_dim = real(s.qk_nope + s.qk_rope);
    ask.value_dim = real(s.v_head);
    if (split.sparse_tokens > 0) ask.window = std::min(ask.window, split.sparse_tokens);
  }
  return prefill_attention_seconds(card, ask);
}

double small_kernels(const LayerClass& layer, const EngineSpeed& engine) {
  const double more = layer.kind == LayerKind::Linear ? engine.linear_us : 0;
  return (engine.layer_us + more) * kMicrosecond;
}

// Layers of `rows` tokens without the core of attention.
StepTime around_attention(const ModelSplit& split, const SpeedStage& stage,
                          const EngineSpeed& engine, double rows) {
  StepTime time;
  for (const LayerClass& layer : stage.classes) {
    const double links = collectives(split, stage, engine, layer, rows);
    time.seconds += layer.count *
                    (projections(split, stage.card, layer, rows) +
                     mlp(split, stage, engine, layer, rows) + small_kernels(layer, engine) + links);
    time.communication += layer.count * links;
  }
  return time;
}

double pieces_of(double input, double chunk) { return std::max(1.0, std::ceil(input / chunk)); }

// A part of the steps carries pieces of new prompts: in the same products, or in steps of their
// own.
StepTime with_prompts(const ModelSplit& split, const SpeedStage& stage, const EngineSpeed& engine,
                      const StepLoad& load) {
  StepTime time = around_attention(split, stage, engine, load.sequences);
  if (load.arrivals <= 0 || load.input <= 0) return time;
  const double part = std::min(1.0, load.arrivals * pieces_of(load.input, load.chunk));
  const double tokens = load.arrivals * load.input / part;
  const StepTime other =
      around_attention(split, stage, engine, engine.mixed ? load.sequences + tokens : tokens);
  const double left = engine.mixed ? 1 - part : 1;
  time.seconds = left * time.seconds + part * other.seconds;
  time.communication = left * time.communication + part * other.communication;
  return time;
}

// Without graphs the processor launches every kernel and cannot run ahead of collectives.
void add_launches(StepTime& time, const SpeedStage& stage, const EngineSpeed& engine) {
  double layers = 0;
  for (const LayerClass& layer : stage.classes) layers += layer.count;
  const double launches = layers * engine.eager_layer_us * kMicrosecond;
  const double sums =
      stage.links.ranks > 1 ? layers * 2 * engine.eager_reduce_us * kMicrosecond : 0;
  time.seconds = std::max(time.seconds, launches) + sums;
  time.communication += sums;
}

// Logits of every request, gathered from all ranks.
void add_head(StepTime& time, const ModelSplit& split, const SpeedStage& stage, double sequences) {
  constexpr double kLogit = 2;  // bytes
  const double vocabulary = real(split.shape.vocabulary);
  const double gather = all_gather_seconds(stage.links, sequences * vocabulary * kLogit);
  time.seconds += gather + gemm_seconds(stage.card,
                                        {.rows = sequences,
                                         .columns = vocabulary / split.tensor,
                                         .inner = real(split.shape.hidden)},
                                        split.formats.plain);
  time.communication += gather;
}

}  // namespace

StepTime step(const ModelSplit& split, const SpeedStage& stage, const EngineSpeed& engine,
              const StepLoad& load) {
  StepTime time = with_prompts(split, stage, engine, load);
  const double pieces = pieces_of(load.input, load.chunk);
  for (const LayerClass& layer : stage.classes) {
    time.seconds +=
        layer.count * decode_core(split, stage.card, layer, load.sequences, load.length);
    if (load.arrivals > 0) {
      time.seconds +=
          load.arrivals * layer.count * prefill_core(split, stage.card, layer, load.input, pieces);
    }
  }
  if (!load.graphs) add_launches(time, stage, engine);
  if (stage.last) add_head(time, split, stage, load.sequences);
  return time;
}

StepTime prefill(const ModelSplit& split, const SpeedStage& stage, const EngineSpeed& engine,
                 double length, double chunk) {
  StepTime time;
  if (length <= 0) return time;
  const double whole = std::floor(length / chunk);
  const double rest = length - whole * chunk;
  if (whole > 0) {
    const StepTime one = around_attention(split, stage, engine, chunk);
    time.seconds += whole * one.seconds;
    time.communication += whole * one.communication;
  }
  if (rest > 0) {
    const StepTime one = around_attention(split, stage, engine, rest);
    time.seconds += one.seconds;
    time.communication += one.communication;
  }
  const double chunks = whole + (rest > 0 ? 1 : 0);
  for (const LayerClass& layer : stage.classes)
    time.seconds += layer.count * prefill_core(split, stage.card, layer, length, chunks);
  return time;
}

}  // namespace sx
