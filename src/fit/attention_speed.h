// How long the core of attention takes on one card: reading the cache in decoding, comparing
// tokens in prefill; latent and linear attention with laws of their own.
#pragma once

#include "fit/card_speed.h"

namespace sx {

// One step of `sequences` requests that each see `length` tokens.
struct DecodeAttention {
  double sequences = 0, length = 0;
  double token_bytes = 0;  // of cache on this rank in one layer
  double kv_heads = 1;     // on this rank
};
double decode_attention_seconds(const CardSpeed& card, const DecodeAttention& ask);

struct LatentAttention {
  double sequences = 0, length = 0;
  double token_bytes = 0;
  double heads = 1;             // on this rank
  double latent = 0, rope = 0;  // widths
};
double latent_attention_seconds(const CardSpeed& card, const LatentAttention& ask);

// Prefill of `length` tokens in `chunks` pieces, each token looking back at most `window`.
struct PrefillAttention {
  double length = 0, window = 0, chunks = 1;
  double heads = 1, key_dim = 0, value_dim = 0;
};
double prefill_attention_seconds(const CardSpeed& card, const PrefillAttention& ask);

// Linear attention: a state of `state_bytes` a sequence is read and written in each step.
double linear_decode_seconds(const CardSpeed& card, double sequences, double state_bytes);
double linear_prefill_seconds(const CardSpeed& card, double tokens);

}  // namespace sx
