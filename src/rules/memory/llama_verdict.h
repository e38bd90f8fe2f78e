// What of a llama.cpp launch does not fit its cards: one verdict that its rules share, so that one
// cause is said once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "check/rule.h"
#include "engines/llamacpp/memory.h"

namespace sx::rules {

enum class LlamaBreak {
  Layers,  // weights alone exceed what the cards have
  Cache,   // weights fit, the cache does not
  Split,   // the cards have enough together, and one of them is given too much
  Copies,  // only the copies of a step's inputs do not fit
};

struct LlamaVerdict {
  LlamaBreak what = LlamaBreak::Cache;
  LlamaPlacement place;
  std::size_t device = 0;  // in place.devices: the one that lacks most
  bool certain = true;     // also at the optimistic end of the bands

  const LlamaDevice& at() const { return place.devices[device]; }
};

// Nothing when all fits, by itself or by what the engine changes; and when it cannot be worked out.
std::optional<LlamaVerdict> llama_verdict(const Case& c);

// The host's number of a device, as a word: "GPU 1".
std::string gpu_word(const Case& c, const LlamaDevice& device);

// "GPU 0: weights 10.1 + cache 4.0 + step 0.3 + runtime 0.5 = 14.9 GiB, 12.0 free".
void tell_devices(const Case& c, const LlamaPlacement& place, Diagnostic& d);

// Ways out, each tried by arithmetic before it is proposed.
void propose_shorter_context(const Case& c, std::vector<Proposal>& proposals);
void propose_smaller_cache(const Case& c, std::vector<Proposal>& proposals);
void propose_fewer_layers(const Case& c, std::vector<Proposal>& proposals);
void propose_experts_on_host(const Case& c, std::vector<Proposal>& proposals);
void propose_other_shares(const Case& c, const LlamaPlacement& place,
                          std::vector<Proposal>& proposals);
void propose_smaller_steps(const Case& c, std::vector<Proposal>& proposals);

}  // namespace sx::rules
