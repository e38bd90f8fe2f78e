// What kernels reach on a family of cards, as shares of its peaks (data/speed/gemm.tsv,
// attention.tsv, formats.tsv, experts.tsv).
#pragma once

#include <string_view>

namespace sx {

// Time of a matrix product: start + [(work/(compute x peak))^e + (bytes/(memory x rate))^e]^(1/e),
// and the pass that quantises activations at `quantise` of the memory rate (0: there is none).
struct GemmLaw {
  double compute = 0, memory = 0, start_us = 0, exponent = 1, quantise = 0;
};
// Null: the family has no units for the format ("bf16", "fp8", "fp4").
const GemmLaw* gemm_law(std::string_view family, std::string_view format);

struct AttentionLaw {
  // Of decoding with a paged cache: a cost a (sequence x KV head) beside the bytes read.
  double start_us = 0, memory = 0, exponent = 1, tile_us = 0;
  // Of prefill: share of the 16-bit peak, half of which is reached at `prefill_half` tokens.
  double prefill_start_us = 0, prefill_compute = 0, prefill_half = 0;
  // Of latent attention (MLA) in decoding.
  double latent_start_us = 0, latent_memory = 0, latent_compute = 0;
  // Of linear attention: state read and written in decoding; microseconds a token of prefill.
  double linear_start_us = 0, linear_memory = 0, linear_token_us = 0;
};
// `kv`: "bf16" or "fp8"; a family without a row for FP8 has that of 16 bit. Null: no such family.
const AttentionLaw* attention_law(std::string_view family, std::string_view kv);

// What a format of weights is computed in, and how far its kernels lie below the law of that.
struct FormatLaw {
  std::string_view arithmetic;  // "bf16", "fp8", "fp4"
  double gemm_memory = 1, gemm_compute = 1;
};
// A format without a row is one of ours left out: a bug.
const FormatLaw& format_law(std::string_view format);

// A layer of experts: choosing and sorting, then weights streamed and arithmetic, as shares of
// memory rate and peak.
struct ExpertLaw {
  double start_us = 0, stream = 1, compute = 1;
};
// The family's own row, else that of all families.
const ExpertLaw& expert_law(std::string_view format, std::string_view family);

}  // namespace sx
