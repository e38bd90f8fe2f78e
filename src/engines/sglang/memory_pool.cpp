// State takes its part first, then windows, then full attention: each a pool of its own.
#include "engines/sglang/memory_pool.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "fit/kv.h"

namespace sx {
namespace {

constexpr double kMostTokens = 1e15;  // far above any pool; keeps casts defined

double real(Bytes bytes) { return static_cast<double>(bytes.count()); }

double aligned(double tokens, int page) {
  if (!(tokens > 0)) return 0;
  return std::floor(std::min(tokens, kMostTokens) / page) * page;
}

// Slots that requests and kept prefixes hold; the one of padding comes on top.
double slots_of(const SglangSettings& s, double slot, double room) {
  if (s.state_slots > 0) return static_cast<double>(s.state_slots);
  if (!s.prefix_cache && s.requests_asked > 0)
    return std::floor(static_cast<double>(s.requests_asked) / s.attention_data);
  const double budget = room * s.state_ratio / (1 + s.state_ratio);
  if (s.draft != SglangDraft::None && s.draft_tokens > 0) {
    const double ratio =
        s.prefix_cache ? sglang_constant("state-slots-per-request", s.version).value : 1;
    const auto drafted = static_cast<double>(s.draft_tokens);
    return std::floor((budget - slot * (1 + drafted)) / (slot * (1 + drafted / ratio)));
  }
  return std::floor((budget - slot) / slot);
}

// Window tokens when the requests that may run are known and no prefixes are kept.
double window_tokens_by_requests(const SglangSettings& s, const SglangCells& cells) {
  const double page = s.page;
  const double per_request =
      cells.window_tokens +
      sglang_number("window-per-request-draft", s.version) * static_cast<double>(s.draft_tokens) +
      2 * page;
  const double requests =
      std::max(1.0, std::floor(static_cast<double>(s.requests_asked) / s.attention_data));
  return aligned(per_request * requests + (s.overlap ? 2 : 1) * static_cast<double>(s.chunk) + page,
                 s.page);
}

}  // namespace

SglangCells sglang_cells(const ModelSpec& model, const SglangSettings& s,
                         const std::vector<int>& layers) {
  SglangCells cells;
  const PoolModel of_model = pool_model(model);
  const std::vector<LayerKind>& kinds = of_model.kinds;
  const double window =
      model.sliding_window.known() ? static_cast<double>(model.sliding_window.value().count()) : 0;
  const bool apart = s.windows_apart && window > 0;
  double attention_layers = 0;
  // Layers differ by the width of their heads alone: the first of each width is asked.
  std::optional<double> usual, wide;
  for (const int layer : layers) {
    if (layer < 0 || static_cast<std::size_t>(layer) >= kinds.size()) continue;
    const LayerKind kind = kinds[static_cast<std::size_t>(layer)];
    if (kind == LayerKind::Shared) continue;  // reads the cache of another layer
    if (kind == LayerKind::Linear) {
      cells.state += linear_state_bytes(model, s.attention_ranks);
      continue;
    }
    std::optional<double>& cell = of_model.wide.has(layer) ? wide : usual;
    if (!cell) {
      cell = static_cast<double>(
          kv_bytes_per_token_and_layer(model, s.attention_ranks, s.kv_element, layer));
    }
    attention_layers += 1;
    const bool windowed = kind == LayerKind::Sliding || kind == LayerKind::Chunked;
    (apart && windowed ? cells.window : cells.full) += *cell;
  }
  if (cells.window > 0) cells.window_tokens = window;
  // A draft is taken to have layers like the target's.
  if (s.draft_layers > 0 && attention_layers > 0 && model.layers.known() &&
      model.layers.value() > 0) {
    const double more = 1 + static_cast<double>(s.draft_layers) / model.layers.value();
    cells.full *= more;
    cells.window *= more;
  }
  if (s.decode_context > 1) {
    cells.full /= s.decode_context;
    cells.window /= s.decode_context;
  }
  return cells;
}

SglangPool sglang_pool(const SglangSettings& s, const SglangCells& cells, Bytes room) {
  SglangPool pool;
  double left = std::max(0.0, real(room));
  if (cells.state > Bytes{0}) {
    const double slot = real(cells.state);
    pool.slots = std::max(0.0, slots_of(s, slot, left));
    pool.state = whole_bytes(std::min((pool.slots + 1) * slot, left));
    left -= real(pool.state);
  }
  const bool by_requests = cells.window > 0 && cells.full > 0 && !s.prefix_cache &&
                           s.requests_asked > 0 && s.chunk > 0 &&
                           sglang_number("window-by-requests", s.version) != 0;
  double full = cells.full, tokens = 0;
  if (by_requests) {
    left -= window_tokens_by_requests(s, cells) * cells.window;
  } else if (cells.full > 0) {
    full += s.window_ratio * cells.window;
  } else {
    full = cells.window;
  }
  pool.token = full;
  if (full > 0) tokens = aligned(left / full, s.page);
  pool.in_room = Tokens{static_cast<std::int64_t>(tokens)};
  if (s.pool_limit > 0)
    tokens = std::min(tokens, aligned(static_cast<double>(s.pool_limit), s.page));
  pool.tokens = Tokens{static_cast<std::int64_t>(tokens)};
  return pool;
}

}  // namespace sx
