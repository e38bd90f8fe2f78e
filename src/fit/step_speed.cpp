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

// Tokens of a step: of one rank or group, and of all that meet at some layers.
struct Rows {
  double own = 0, all = 0;
};

enum class Reads { Tokens, Prompts };

// A rank holds at least one head.
double on_rank(std::int64_t heads, int tensor) {
  return std::max(1.0, real(heads) / static_cast<double>(tensor));
}

struct Heads {
  double query = 1, kv = 1, key_dim = 0, value_dim = 0;
};
Heads heads_of(const ModelSplit& split, bool wide) {
  const Shape& s = split.shape;
  Heads heads{.query = on_rank(s.heads, split.sizes.tensor),
              .kv = on_rank(s.kv_heads, split.sizes.tensor),
              .key_dim = real(s.head_dim),
              .value_dim = real(s.head_dim)};
  if (wide) {
    heads.kv = on_rank(split.wide.kv_heads, split.sizes.tensor);
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
    const double keys = on_rank(s.linear_key_heads, split.sizes.tensor) * real(s.linear_key_dim);
    const double values =
        on_rank(s.linear_value_heads, split.sizes.tensor) * real(s.linear_value_dim);
    return product(2 * keys + 2 * values, h, format) + product(h, values, format);
  }
  if (layer.latent) {
    const double heads = on_rank(s.heads, split.sizes.tensor);
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
  const double own = width / split.sizes.dense;
  return gemm_seconds(card, {.rows = rows, .columns = 2 * own, .inner = h}, split.formats.dense) +
         gemm_seconds(card, {.rows = rows, .columns = h, .inner = own}, split.formats.dense);
}

// Tokens at the dense MLPs, the gates of experts and the head.
double dense_rows(const ModelSplit& split, const Rows& rows) {
  return split.sizes.gathered > 1 ? rows.all : rows.own;
}

double mlp(const ModelSplit& split, const SpeedStage& stage, const EngineSpeed& engine,
           const LayerClass& layer, const Rows& all_rows) {
  const Shape& s = split.shape;
  const double rows = dense_rows(split, all_rows);
  if (!layer.experts) return dense_mlp(split, stage.card, real(s.width), rows);
  const int ranks = split.sizes.expert_ranks;
  const double here = ranks > 1 ? std::ceil(real(s.experts) / ranks) : real(s.experts);
  double seconds = experts_seconds(stage.card, engine,
                                   {.tokens = all_rows.all,
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

// One sum behind attention, one behind the MLP; where ranks share experts, the second goes through
// all of them. Groups that share attention gather their tokens before every MLP and take their own
// back behind it: as a gather and a scatter of equal parts while all draw tokens, as sums where the
// parts are unequal.
double collectives(const ModelSplit& split, const SpeedStage& stage, const EngineSpeed& engine,
                   const LayerClass& layer, const Rows& rows, Reads reads) {
  constexpr double kActivation = 2;  // bytes
  const double token = kActivation * real(split.shape.hidden);
  if (split.sizes.gathered > 1) {
    const double bytes = token * rows.all;
    const double both = reads == Reads::Tokens ? 2 * all_gather_seconds(stage.links, bytes)
                                               : 2 * all_reduce_seconds(stage.links, engine, bytes);
    return both + all_reduce_seconds(stage.heads_links, engine, token * rows.own);
  }
  const double own = all_reduce_seconds(stage.links, engine, token * rows.own);
  if (!layer.experts || split.sizes.expert_replicas < 2) return 2 * own;
  return own + all_reduce_seconds(stage.expert_links, engine, token * rows.all);
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
    const double main =
        latent_attention_seconds(card, {.sequences = sequences,
                                        .length = seen,
                                        .token_bytes = layer.token_bytes,
                                        .heads = on_rank(s.heads, split.sizes.tensor),
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

// Whether all but the core of attention costs the same: of a layer, what stands around it looks at
// nothing else. Layers with windows are like those without.
bool alike_around_attention(const LayerClass& a, const LayerClass& b) {
  return (a.kind == LayerKind::Linear) == (b.kind == LayerKind::Linear) && a.latent == b.latent &&
         a.experts == b.experts && a.wide == b.wide;
}

// Layers of `rows` tokens without the core of attention.
StepTime around_attention(const ModelSplit& split, const SpeedStage& stage,
                          const EngineSpeed& engine, const Rows& rows, Reads reads) {
  StepTime time;
  const LayerClass* before = nullptr;
  double one = 0, links = 0;
  for (const LayerClass& layer : stage.classes) {
    if (before == nullptr || !alike_around_attention(layer, *before)) {
      links = collectives(split, stage, engine, layer, rows, reads);
      one = projections(split, stage.card, layer, rows.own) +
            mlp(split, stage, engine, layer, rows) + small_kernels(layer, engine) + links;
    }
    before = &layer;
    time.seconds += layer.count * one;
    time.communication += layer.count * links;
  }
  return time;
}

double pieces_of(double input, double chunk) { return std::max(1.0, std::ceil(input / chunk)); }

// Pieces of prompts a step, of all ranks that meet.
double pieces_a_step(const StepLoad& load) {
  return load.arrivals * pieces_of(load.input, load.chunk);
}

// Pieces that the busiest rank reads while so many are read at once: ranks take them in turn.
double pieces_on_one(const ModelSplit& split, double at_once) {
  return std::max(1.0, at_once / meeting(split));
}

// A part of the steps carries pieces of new prompts: in the same products, or in steps of their
// own.
StepTime with_prompts(const ModelSplit& split, const SpeedStage& stage, const EngineSpeed& engine,
                      const StepLoad& load) {
  const Rows drawn{.own = load.sequences, .all = load.all_sequences};
  StepTime time = around_attention(split, stage, engine, drawn, Reads::Tokens);
  if (load.arrivals <= 0 || load.input <= 0) return time;
  const double part = std::min(1.0, pieces_a_step(load));
  const double at_once = pieces_at_once(load);
  const double piece = load.input / pieces_of(load.input, load.chunk);
  Rows prompts{.own = piece * pieces_on_one(split, at_once), .all = piece * at_once};
  if (engine.mixed) prompts = {.own = prompts.own + drawn.own, .all = prompts.all + drawn.all};
  const StepTime other = around_attention(split, stage, engine, prompts, Reads::Prompts);
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
void add_head(StepTime& time, const ModelSplit& split, const SpeedStage& stage, const Rows& drawn) {
  constexpr double kLogit = 2;  // bytes
  const double vocabulary = real(split.shape.vocabulary);
  const double sequences = dense_rows(split, drawn);
  const double gather = all_gather_seconds(stage.links, sequences * vocabulary * kLogit);
  time.seconds += gather + gemm_seconds(stage.card,
                                        {.rows = sequences,
                                         .columns = vocabulary / split.sizes.dense,
                                         .inner = real(split.shape.hidden)},
                                        split.formats.plain);
  time.communication += gather;
}

}  // namespace

StepTime step(const ModelSplit& split, const SpeedStage& stage, const EngineSpeed& engine,
              const StepLoad& load) {
  StepTime time = with_prompts(split, stage, engine, load);
  const double pieces = pieces_of(load.input, load.chunk);
  // Prompts that the busiest rank reads, a step.
  const double prompts =
      std::min(1.0, pieces_a_step(load)) / pieces * pieces_on_one(split, pieces_at_once(load));
  for (const LayerClass& layer : stage.classes) {
    time.seconds +=
        layer.count * decode_core(split, stage.card, layer, load.sequences, load.length);
    if (load.arrivals > 0) {
      time.seconds +=
          prompts * layer.count * prefill_core(split, stage.card, layer, load.input, pieces);
    }
  }
  if (!load.graphs) add_launches(time, stage, engine);
  if (stage.last) add_head(time, split, stage, {.own = load.sequences, .all = load.all_sequences});
  return time;
}

double meeting(const ModelSplit& split) {
  return std::max(split.sizes.expert_replicas, split.sizes.gathered);
}

double pieces_at_once(const StepLoad& load) { return std::max(1.0, pieces_a_step(load)); }

StepTime prefill(const ModelSplit& split, const SpeedStage& stage, const EngineSpeed& engine,
                 const PrefillLoad& load) {
  const double length = load.length, chunk = load.chunk;
  StepTime time;
  if (length <= 0) return time;
  const double whole = std::floor(length / chunk);
  const double rest = length - whole * chunk;
  const auto piece = [&](double tokens, double times) {
    const Rows rows{.own = tokens, .all = tokens * load.together};
    const StepTime one = around_attention(split, stage, engine, rows, Reads::Prompts);
    time.seconds += times * one.seconds;
    time.communication += times * one.communication;
  };
  if (whole > 0) piece(chunk, whole);
  if (rest > 0) piece(rest, 1);
  const double chunks = whole + (rest > 0 ? 1 : 0);
  for (const LayerClass& layer : stage.classes)
    time.seconds += layer.count * prefill_core(split, stage.card, layer, length, chunks);
  return time;
}

}  // namespace sx
