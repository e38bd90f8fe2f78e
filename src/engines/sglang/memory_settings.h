// What a launch's flags and its cards come down to for memory: numbers in force, defaults of the
// version filled in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "facts/case.h"
#include "fit/layout.h"
#include "fit/shape.h"
#include "knowledge/constants.h"

namespace sx {

// Speculation, as far as memory differs by it.
enum class SglangDraft {
  None,
  Lookup,  // n-grams: no weights, no cache
  Layers,  // a few layers with the target's widths: EAGLE, next-token layers
  Model,   // a model of its own: STANDALONE
};

// Prefill and decode may run in servers of their own.
enum class SglangRole { Both, Prefill, Decode };

struct SglangSettings {
  Version version;
  SglangRole role = SglangRole::Both;
  int tensor = 1, pipeline = 1;
  int attention_data = 1;   // groups that split requests within the tensor group
  int attention_ranks = 1;  // ranks that split attention
  int decode_context = 1;
  int dtype_bytes = 2;
  double kv_element = 2;         // bytes an element of the KV cache
  double card_mib = 0;           // the smallest card of the machine, as nvidia-smi prints it
  std::int64_t chunk = 0;        // tokens of one prefill step, undivided; 0: prompts are not cut
  std::int64_t prompts = 0;      // tokens of the prompts that are taken at once
  std::int64_t graph_batch = 0;  // largest decode graph; 0: none
  std::int64_t prefill_graph_tokens = 0;  // largest prefill graph; 0: none
  int page = 1;
  Tokens context;
  bool context_asked = false;
  std::int64_t requests_asked = 0;  // --max-running-requests; 0: not said
  std::int64_t pool_limit = 0;      // --max-total-tokens; 0: none
  bool prefix_cache = true, overlap = true;
  bool with_vision = false;  // pictures are taken
  bool deepep = false;
  bool windows_apart = false;  // sliding windows have a pool of their own
  double window_ratio = 1;
  double state_ratio = 1;
  std::int64_t state_slots = 0;  // --max-mamba-cache-size; 0: not said
  SglangDraft draft = SglangDraft::None;
  std::int64_t draft_tokens = 0;
  int draft_layers = 0;     // 0 with a draft: not known
  std::string draft_model;  // path or id; empty: the target's own layers
};

SglangSettings sglang_settings(const Case& c, const Shape& shape, const Layout& layout);

// A constant of SGLang that every version has; asking for one that is not there is a bug of ours.
const Constant& sglang_constant(std::string_view name, const Version& version);
// The same where versions may lack it: 0 then.
double sglang_number(std::string_view name, const Version& version);

// Sizes of prefill graphs that are captured up to `largest` tokens.
int sglang_prefill_graph_sizes(std::int64_t largest);

}  // namespace sx
