// The share of the free memory that weights and KV cache may take, and what SGLang holds back for.
#pragma once

#include "engines/sglang/memory_settings.h"
#include "facts/case.h"

namespace sx {

struct SglangShare {
  double fraction = 0;       // of what is free before weights are loaded
  double low = 0, high = 0;  // where the config's own names decide it, and are not known here
  bool asked = false;        // --mem-fraction-static
};

SglangShare sglang_share(const Case& c, const SglangSettings& s, const Shape& shape);

// MiB that the engine reckons its graphs take: of decoding, and of prefill.
double sglang_decode_graphs_mib(const SglangSettings& s);
double sglang_prefill_graphs_mib(const SglangSettings& s, const Shape& shape);

// Tokens of the largest step.
std::int64_t sglang_step_tokens(const SglangSettings& s);

}  // namespace sx
