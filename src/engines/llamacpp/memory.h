// How llama.cpp spends GPU memory and host memory; from data.
#pragma once

#include <expected>
#include <optional>
#include <vector>

#include "facts/case.h"
#include "fit/budget.h"
#include "fit/layout.h"

namespace sx {

// Engine::budget of llama.cpp. One process holds all devices: each device is one "rank" of the
// answer, whatever the layout says. `kv_tokens` is the context of all slots together, as far as it
// fits; `request_tokens` what the launch asks for.
std::expected<Budget, NoBudget> llama_budget(const Case& c, const Layout& layout);

// Where the launch puts things, and what each device holds; with what the engine changes by itself
// to fit (--fit) already done.
struct LlamaDevice {
  int gpu = 0;                          // position among the launch's GPUs
  int layers = 0;                       // whole layers on it
  bool output = false;                  // holds the output head
  Bytes capacity, free;                 // by the runtime; less what others hold
  Bytes weights, cache, step, runtime;  // of this launch
  double cache_per_token = 0;  // bytes by which the cache grows with each token of the context
  Bytes states;                // part of `cache` that does not
  Bytes step_inputs;           // one copy of the inputs of a step, part of `step`
  Bytes step_high;
  Bytes needed_low;  // at the optimistic end of the bands

  Bytes needed() const { return weights + cache + step + runtime; }
};
struct LlamaPlacement {
  std::vector<LlamaDevice> devices;
  int layers_on_gpus = 0, layers = 0;  // of the model; the output counts as one
  int copies = 1;                      // of a step's inputs
  Bytes step_of_one_copy;
  bool context_shrunk = false;  // by the engine itself
  bool layers_moved = false;    // to the host, by the engine itself
  bool exact = true;            // weights by the file's own tensors
  Tokens context;               // of all slots together
  // In host memory: weights (mapped from the file), cache, step and logits; the prompt cache's
  // limit.
  Bytes host_weights, host_cache, host_step, prompt_cache;
};
std::expected<LlamaPlacement, NoBudget> llama_placement(const Case& c);

}  // namespace sx
