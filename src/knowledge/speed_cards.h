// Whose measured laws hold for a card, how it is linked, and what an engine adds to the sum of its
// kernels (data/speed/cards.tsv, engines.tsv, bands.tsv).
#pragma once

#include <optional>
#include <string_view>

#include "knowledge/gpus.h"

namespace sx {

struct SpeedCard {
  std::string_view family;   // of the laws in gemm.tsv and attention.tsv: "h100"
  std::string_view basis;    // "measured", "related", "sheet"
  std::string_view nvlink;   // row of collectives.tsv for its NVLink; empty: it has none
  std::optional<bool> peer;  // whether drivers allow peer access over PCIe
};

// By the exact name, else by architecture and capability, names that begin alike first. Nothing for
// an architecture without a row.
std::optional<SpeedCard> speed_card(const GpuKind& kind);

struct EngineSpeed {
  double decode_scale = 1;
  double host_us = 0;     // a step
  double first_us = 0;    // before a prompt is read: the server's front, its words to tokens
  double request_us = 0;  // of the host, for each request in a step
  double layer_us = 0;    // small kernels of a layer: norms, positions, writing the cache
  double linear_us = 0;   // and those of linear attention besides: taps, gates, norms of heads
  double alike = 1;       // m tokens choose as many experts as m^alike independent ones
  double skew = 1;    // whole experts a rank are never evenly busy: so many times the even share
  double hop_us = 0;  // what a stage of a pipeline adds to a step
  bool mixed = true;  // prompts are read in the same steps that decode
  int chunk = 0;      // tokens of prefill in one step, usually
  double own_reduce_mib = 0;  // largest message of its own all-reduce; 0: it has none
  double eager_layer_us = 0;  // without graphs: launches of a layer, and of a collective
  double eager_reduce_us = 0;
  bool pipelines = true;  // stages work at different requests at the same time
  bool measured = false;
};

// Nothing for an engine without a row.
std::optional<EngineSpeed> engine_speed(std::string_view engine);

// Factors around a figure: eight of ten machines lie between.
struct SpeedBand {
  double low = 1, high = 1;
  double first_low = 1, first_high = 1;  // of the time to the first token
};
SpeedBand speed_band(std::string_view basis);

}  // namespace sx
