// How fast a layout serves a load: the sum of a step's operations by measured laws, each figure
// with a band; bounds from data-sheet peaks where a card was never measured. No promises.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/version.h"
#include "diag/message.h"
#include "facts/host_spec.h"
#include "facts/model_spec.h"
#include "fit/layout.h"

namespace sx {

// So many requests at a time, each of so many tokens.
struct Workload {
  int users = 1;
  Tokens input, output;
};

// Eight of ten machines show something between `low` and `high`.
struct Band {
  double low = 0, mid = 0, high = 0;
};

enum class SpeedBasis {
  Measured,   // constants measured on this kind of card
  Related,    // on a card of the same family, scaled by data-sheet peaks
  DataSheet,  // peaks alone: wide bounds
};

struct Speed {
  Band tpot_s;           // mean time a token after the first, prefills of the other users included
  Band ttft_s;           // to the first token, when all users' requests do not come at once
  Band output_tokens_s;  // of the whole machine: all replicas together
  int running = 0;       // requests that run at a time, all replicas together; less than `users`
                         // when the KV pool or --max-num-seqs says so
  SpeedBasis basis = SpeedBasis::DataSheet;
  double communication_s = 0;  // part of tpot_s.mid that is collectives and hops between stages
  std::vector<Message> notes;  // what it rests on, for --why
};

struct SpeedAsk {
  const ModelSpec* model = nullptr;
  const HostSpec* host = nullptr;
  std::string_view engine;  // "vllm"
  Version version;
  Layout layout;
  int ranks = 1;   // data-parallel ranks of one launch, which share its experts out; they count in
                   // layout.data, where launches beside one another count as well
  int groups = 1;  // of requests, among which the ranks of one tensor group share attention out
  std::vector<int> stage_layers;  // layers a stage of one replica
  // One group a stage, replica after replica (positions in host.gpus), of whoever placed them;
  // empty: the first ones.
  std::span<const std::vector<int>> gpus;
  Workload load;
  double kv_element = 2;  // bytes
  Tokens kv_tokens;       // pool of one replica, or of one group; 0: not known, no limit from it
  int max_num_seqs = 0;   // of one replica or group; 0: not known
  Tokens max_batched_tokens;  // 0: the engine's usual chunk
  bool graphs = true;         // false: --enforce-eager
  std::string quantization_flag;
};

// Why there is no figure: what is unknown.
struct NoSpeed {
  Message why;
};

std::expected<Speed, NoSpeed> speed(const SpeedAsk& ask);

// The same for all users and for one of them alone: what both rest on is worked out once.
struct SpeedOfBoth {
  Speed all;
  std::optional<Speed> alone;
};
std::expected<SpeedOfBoth, NoSpeed> speed_of_both(const SpeedAsk& ask);

}  // namespace sx
