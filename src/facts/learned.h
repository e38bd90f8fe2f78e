// What a launch really took of each GPU, as its own log told: kept on this machine, used again for
// the very same launch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace sx {

struct Case;

// Empty: the log did not tell.
struct LearnedGpu {
  int gpu = 0;  // rank of the replica
  std::optional<Bytes> weights, activations, graphs, runtime, kv_cache;
};

struct LearnedRun {
  std::string key;  // of learned_key
  std::string engine, version, model;
  std::string date;  // "2026-11-30"
  std::vector<LearnedGpu> gpus;
  std::optional<Tokens> kv_tokens;

  const LearnedGpu* gpu(int rank) const;
};

// Everything of a launch that its memory depends on: engine and version, model, the GPUs it takes,
// all flags but names and addresses, variables. Two launches with the same key take the same.
// Empty: the GPUs or the model are not known.
std::string learned_key(const Case& c);

// The run of that key, the newest one; null: there is none.
const LearnedRun* find_learned(const std::vector<LearnedRun>& runs, const Case& c);

}  // namespace sx
