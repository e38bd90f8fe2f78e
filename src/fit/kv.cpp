// Bytes of cache a token, bytes of state a request, and how many of them a pool holds.
#include "fit/kv.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fit/model_once.h"
#include "fit/shape.h"

namespace sx {
namespace {

constexpr double kMostTokens = 1e15;  // far above any pool; keeps casts defined

std::int64_t whole(double number) {
  if (!(number > 0)) return 0;
  return static_cast<std::int64_t>(std::min(number, kMostTokens));
}

// Bytes of a token in one layer on one rank: of most layers, and of those with wide heads.
struct Cells {
  std::int64_t usual = 0, wide = 0;
  WideLayers layers;

  std::int64_t of(int layer) const { return layers.has(layer) ? wide : usual; }
};

std::int64_t grouped_cell(std::int64_t kv_heads, std::int64_t width, int tensor, double element) {
  const std::int64_t heads = std::max<std::int64_t>(1, kv_heads / std::max(1, tensor));
  return whole(2 * static_cast<double>(heads) * static_cast<double>(width) * element);
}

std::int64_t latent_cell(const Shape& shape, double element) {
  double cell = static_cast<double>(shape.kv_lora + shape.qk_rope) * element;
  if (indexer_heads(shape.type) == 0) return whole(cell);
  // Sparse attention packs its FP8 latent with scales and 16-bit rope values, and keeps the
  // indexer's keys beside it.
  if (element == 1) cell = formula_constant("sparse-latent-bytes-fp8");
  return whole(cell + formula_constant("sparse-indexer-bytes"));
}

Cells cells_of(const Shape& shape, const WideLayers& wide, int tensor, double element) {
  if (shape.is_mla()) return {.usual = latent_cell(shape, element)};
  Cells cells{.layers = wide};
  cells.usual = grouped_cell(shape.kv_heads, shape.head_dim, tensor, element);
  cells.wide = grouped_cell(cells.layers.kv_heads, cells.layers.head_dim, tensor, element);
  return cells;
}

// Layers of one kind in the stage.
struct Group {
  double layers = 0;
  double cell = 0;    // bytes of a token in one layer; of Linear: unused
  double groups = 0;  // how many groups of the common size they make
  double block = 0;   // tokens that one page holds
};

enum Index : std::size_t { kFull, kWindow, kChunk, kState, kKinds };

struct Stage {
  std::array<Group, kKinds> of;
  double sum_of_cells = 0;    // over all attention layers
  double state = 0;           // bytes of one state in one layer
  double page = 0;            // bytes of a block in one layer
  double layers_a_block = 1;  // layers that one block of the pool covers
  double window = 0;          // of sliding and chunked layers
  bool uniform = true;        // full attention alone

  double block_bytes() const { return page * layers_a_block; }
};

Index index_of(LayerKind kind, const PoolAsk& ask, double window) {
  if (kind == LayerKind::Linear) return kState;
  if (!ask.grouped || window <= 0) return kFull;
  if (kind == LayerKind::Sliding) return kWindow;
  return kind == LayerKind::Chunked ? kChunk : kFull;
}

void count_layers(Stage& stage, const PoolModel& model, const PoolAsk& ask) {
  if (!model.shape) return;
  const Cells cells = cells_of(*model.shape, model.wide, ask.tensor, ask.element);
  const std::vector<LayerKind>& kinds = model.kinds;
  if (model.plain) {
    const auto there = std::ranges::count_if(ask.layers, [&kinds](int layer) {
      return layer >= 0 && static_cast<std::size_t>(layer) < kinds.size();
    });
    Group& full = stage.of[kFull];
    full.layers = static_cast<double>(there);
    full.cell = there > 0 ? static_cast<double>(cells.usual) : 0;
    stage.sum_of_cells = full.layers * full.cell;
    return;
  }
  for (const int layer : ask.layers) {
    if (layer < 0 || static_cast<std::size_t>(layer) >= kinds.size()) continue;
    const LayerKind kind = kinds[static_cast<std::size_t>(layer)];
    if (kind == LayerKind::Shared) continue;  // reads the pages of another layer
    Group& group = stage.of[index_of(kind, ask, stage.window)];
    group.layers += 1;
    if (kind == LayerKind::Linear) continue;
    const auto cell = static_cast<double>(cells.of(layer));
    group.cell = std::max(group.cell, cell);
    stage.sum_of_cells += cell;
  }
}

// All groups have as many layers as the smallest kind, or as the largest where padding up to it
// costs little.
double layers_a_group(const Stage& stage) {
  double smallest = 0, largest = 0;
  for (const Group& group : stage.of) {
    if (group.layers == 0) continue;
    smallest = smallest == 0 ? group.layers : std::min(smallest, group.layers);
    largest = std::max(largest, group.layers);
  }
  constexpr double kLittle = 1.5;  // vLLM kv_cache_utils, group size of hybrid models
  return largest < kLittle * smallest ? largest : smallest;
}

void size_pages(Stage& stage, const PoolAsk& ask) {
  double block = std::max(1, ask.block_size);
  const double cell = stage.of[kFull].cell > 0 ? stage.of[kFull].cell : stage.of[kWindow].cell;
  if (stage.state > 0 && cell > 0) {
    // A page of attention grows until it holds one state, in whole blocks of the attention kernel.
    const double kernel = formula_constant("kv-block-rounding");
    block = std::max(block, kernel * std::ceil(stage.state / (kernel * cell)));
  }
  stage.page = stage.state;
  for (const Group& group : stage.of) stage.page = std::max(stage.page, block * group.cell);
  stage.layers_a_block = std::max(1.0, layers_a_group(stage));
  for (Group& group : stage.of) {
    group.groups = std::ceil(group.layers / stage.layers_a_block);
    // Narrower layers get longer blocks of the same bytes.
    group.block =
        group.cell > 0 ? std::max(block, std::floor(stage.page / group.cell / block) * block) : 0;
  }
}

Bytes state_bytes(const Shape& shape, int tensor, int draft_tokens) {
  if (!shape.is_hybrid()) return {};
  const std::int64_t ranks = std::max(1, tensor);
  const auto keys = static_cast<double>(shape.linear_key_heads / ranks * shape.linear_key_dim);
  const auto heads = static_cast<double>(shape.linear_value_heads / ranks);
  const auto key = static_cast<double>(shape.linear_key_dim),
             value = static_cast<double>(shape.linear_value_dim);
  const double taps = shape.linear_taps > 0 ? static_cast<double>(shape.linear_taps)
                                            : formula_constant("linear-conv-default");
  const double temporal = heads * key * value * formula_constant("linear-state-bytes");
  const double kept = std::max(0.0, taps - 1 + draft_tokens);
  return whole_bytes(temporal +
                     kept * (2 * keys + heads * value) * formula_constant("linear-conv-bytes"));
}

Stage stage_of(const PoolModel& model, const PoolAsk& ask) {
  Stage stage;
  stage.window = model.window;
  count_layers(stage, model, ask);
  stage.uniform =
      stage.of[kWindow].layers == 0 && stage.of[kChunk].layers == 0 && stage.of[kState].layers == 0;
  if (stage.uniform) {
    stage.page = stage.sum_of_cells * std::max(1, ask.block_size);
    stage.of[kFull].groups = 1;
    stage.of[kFull].block = std::max(1, ask.block_size);
    return stage;
  }
  if (stage.of[kState].layers > 0 && model.shape) {
    stage.state =
        static_cast<double>(state_bytes(*model.shape, ask.tensor, ask.draft_tokens).count());
  }
  size_pages(stage, ask);
  return stage;
}

double state_blocks(const Stage& stage, const PoolAsk& ask) {
  return stage.of[kState].groups *
         ((ask.state_checkpoints ? 2 : 1) + std::max(0, ask.draft_tokens));
}

// Blocks that one request of `length` takes from the pool.
double blocks_of_request(const Stage& stage, const PoolAsk& ask, double length) {
  const double in_flight = static_cast<double>(ask.batched_tokens.count());
  const double on_rank = std::ceil(length / std::max(1, ask.decode_context));
  double blocks = state_blocks(stage, ask);
  if (const Group& full = stage.of[kFull]; full.block > 0)
    blocks += full.groups * std::ceil(on_rank / full.block);
  if (const Group& window = stage.of[kWindow]; window.block > 0) {
    blocks += window.groups *
              (std::ceil(std::min(stage.window - 1 + in_flight, length) / window.block) + 1);
  }
  if (const Group& chunk = stage.of[kChunk]; chunk.block > 0) {
    blocks += chunk.groups * std::ceil(std::min(stage.window + in_flight, length) / chunk.block);
  }
  return std::max(blocks, 1.0);
}

struct Count {
  double tokens = 0;
  double request_tokens = 0;
};

Count counted(const Stage& stage, const PoolAsk& ask, double blocks, double need, double length) {
  const double ranks = std::max(1, ask.decode_context);
  const double needed = need + std::max(0, ask.null_blocks);
  if (stage.uniform) {
    const double block = stage.of[kFull].block;
    return {blocks * block * ranks, needed * block * ranks};
  }
  if (ask.merged_count) return {blocks / need * length, needed / need * length};
  double groups = 0, block = 0;
  for (const Group& group : stage.of) {
    groups += group.groups;
    if (group.block > 0) block = block == 0 ? group.block : std::min(block, group.block);
  }
  groups = std::max(groups, 1.0);
  return {std::floor(blocks / groups) * block * ranks, std::floor(needed / groups) * block * ranks};
}

double marginal_bytes(const Stage& stage) {
  if (stage.uniform) return stage.sum_of_cells;
  const Group& full = stage.of[kFull];
  return full.block > 0 ? full.groups * stage.block_bytes() / full.block : 0;
}

}  // namespace

std::int64_t kv_bytes_per_token_and_layer(const ModelSpec& model, int tensor, double element,
                                          int layer) {
  // Asked for layer by layer.
  if (const ModelOnce* once = ModelOnce::of(model); once != nullptr && once->pools) {
    const PoolModel& known = *once->pools;
    return known.shape ? cells_of(*known.shape, known.wide, tensor, element).of(layer) : 0;
  }
  const PoolModel made = pool_model(model);
  return made.shape ? cells_of(*made.shape, made.wide, tensor, element).of(layer) : 0;
}

Bytes linear_state_bytes(const ModelSpec& model, int tensor, int draft_tokens) {
  const auto shape = shape_of(model);
  return shape ? state_bytes(*shape, tensor, draft_tokens) : Bytes{};
}

namespace {

Pool pool_of(const Stage& stage, const PoolAsk& ask) {
  const double block_bytes = stage.block_bytes();
  if (block_bytes <= 0) return {};  // no layer of this stage keeps anything
  const auto length = static_cast<double>(std::max<std::int64_t>(1, ask.length.count()));
  const double blocks =
      std::floor(static_cast<double>(std::max<std::int64_t>(0, ask.room.count())) / block_bytes);
  const double need = blocks_of_request(stage, ask, length);
  const Count count = counted(stage, ask, blocks, need, length);
  return {.tokens = Tokens{whole(count.tokens)},
          .bytes_per_token = whole(marginal_bytes(stage)),
          .requests = blocks / need,
          .one_request = whole_bytes(need * block_bytes),
          .request_tokens = Tokens{whole(std::floor(count.request_tokens))},
          .one_state = whole_bytes(state_blocks(stage, ask) * block_bytes),
          .fits = blocks >= need + std::max(0, ask.null_blocks)};
}

Tokens longest_of(const Stage& stage, const PoolAsk& ask, Tokens most) {
  if (stage.block_bytes() <= 0) return most;
  const double room = static_cast<double>(std::max<std::int64_t>(0, ask.room.count()));
  const double blocks = std::floor(room / stage.block_bytes()) - std::max(0, ask.null_blocks);
  if (blocks < 1) return Tokens{0};  // less than the shortest request takes
  std::int64_t fits = 0, too_long = std::max<std::int64_t>(0, most.count()) + 1;
  while (too_long - fits > 1) {
    const std::int64_t middle = fits + (too_long - fits) / 2;
    if (blocks_of_request(stage, ask, static_cast<double>(middle)) <= blocks) {
      fits = middle;
    } else {
      too_long = middle;
    }
  }
  return Tokens{fits};
}

}  // namespace

bool PoolModel::alike(int first, int other, int count) const {
  for (int i = 0; i < count; ++i) {
    const auto one = static_cast<std::size_t>(first + i), two = static_cast<std::size_t>(other + i);
    if (one >= kinds.size() || two >= kinds.size() || kinds[one] != kinds[two]) return false;
    if (wide.has(first + i) != wide.has(other + i)) return false;
  }
  return true;
}

PoolModel pool_model(const ModelSpec& model) {
  ModelOnce* once = ModelOnce::of(model);
  if (once != nullptr && once->pools) return *once->pools;
  PoolModel made{.shape = shape_of(model), .kinds = {}, .wide = {}};
  if (made.shape) {
    made.kinds = layer_kinds(model, *made.shape);
    made.wide = wide_layers(*made.shape);
    made.plain = made.wide.every <= 0 && std::ranges::all_of(made.kinds, [](LayerKind kind) {
                   return kind == LayerKind::Full;
                 });
  }
  if (model.sliding_window.known())
    made.window = static_cast<double>(model.sliding_window.value().count());
  if (once != nullptr) once->pools = made;
  return made;
}

Pool pool(const ModelSpec& model, const PoolAsk& ask) {
  return pool_of(stage_of(pool_model(model), ask), ask);
}

Tokens longest_request(const ModelSpec& model, PoolAsk ask, Tokens most) {
  return longest_of(stage_of(pool_model(model), ask), ask, most);
}

Pools pools(const PoolModel& model, PoolAsk ask, Bytes low, Bytes high, Tokens most) {
  const Stage stage = stage_of(model, ask);
  Pools answer{.best = pool_of(stage, ask), .low = {}, .high = {}, .longest = {}};
  answer.longest = longest_of(stage, ask, most);
  ask.room = low;
  answer.low = pool_of(stage, ask);
  ask.room = high;
  answer.high = pool_of(stage, ask);
  return answer;
}

}  // namespace sx
