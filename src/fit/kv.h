// Bytes of KV cache and of recurrent state on each rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "facts/model_spec.h"
#include "fit/shape.h"

namespace sx {

// Bytes of one token in one attention layer on one rank. GQA: 2 x heads on the rank x head width x
// element; a rank holds at least one KV head. MLA: (latent + rope) x element on every rank, not
// divided. `element` in bytes.
std::int64_t kv_bytes_per_token_and_layer(const ModelSpec& model, int tensor, double element,
                                          int layer = 0);

// Which layers keep a cache that grows with the context, which a window of it, which a fixed state.
enum class LayerKind { Full, Sliding, Chunked, Linear, Shared };
std::vector<LayerKind> layer_kinds(const ModelSpec& model);
std::vector<LayerKind> layer_kinds(const ModelSpec& model, const Shape& shape);

// Bytes of state that one request pins in one linear-attention layer on one rank.
Bytes linear_state_bytes(const ModelSpec& model, int tensor, int draft_tokens = 0);

// Pool of a stage: how many tokens `room` holds, as the engine prints it, and what one request of
// `length` takes. Layers of one kind form groups of equal size; all groups take blocks of one size
// from one pool (vLLM kv_cache_utils).
struct PoolAsk {
  std::vector<int> layers;  // numbers of the layers of this stage
  int tensor = 1;
  double element = 2;
  int block_size = 16;
  Bytes room;
  Tokens length;          // max_model_len
  Tokens batched_tokens;  // in flight, for sliding windows
  int decode_context = 1;
  int draft_tokens = 0;
  bool state_checkpoints = true;  // prefix caching holds a second state ("align")
  bool merged_count =
      true;  // tokens = concurrency x max_model_len where layers differ; else tokens of one group
  bool grouped = true;  // false: windows are sized as full attention
  int null_blocks = 0;  // kept free by the engine, counted as capacity
};
struct Pool {
  Tokens tokens;
  std::int64_t bytes_per_token = 0;
  double requests = 0;    // of `length` at once
  Bytes one_request;      // bytes that one request of `length` needs
  Tokens request_tokens;  // the same in the pool's own count: it fits when `tokens` is not less
  Bytes one_state;        // part of `one_request` that does not grow with the context
  bool fits = false;      // one request of `length`
};
Pool pool(const ModelSpec& model, const PoolAsk& ask);

// The largest length up to `most` of which one request fits; 0: none.
Tokens longest_request(const ModelSpec& model, PoolAsk ask, Tokens most);

// The same stage with three rooms, and its longest request in the first of them (`ask.room`).
struct Pools {
  Pool best, low, high;
  Tokens longest;
};

// What pools need of a model, made once for all its stages.
struct PoolModel {
  std::optional<Shape> shape;
  std::vector<LayerKind> kinds;
  WideLayers wide;
  double window = 0;   // of sliding and chunked layers; 0: not known
  bool plain = false;  // all layers attend to everything, with heads of one width

  // Whether `count` layers from either one on are of the same kinds in the same order.
  bool alike(int first, int other, int count) const;
};
PoolModel pool_model(const ModelSpec& model);
Pools pools(const PoolModel& model, PoolAsk ask, Bytes low, Bytes high, Tokens most);

}  // namespace sx
