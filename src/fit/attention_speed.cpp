// Laws of the kernels of attention, with the constants of the card's family.
#include "fit/attention_speed.h"

#include <algorithm>

#include "fit/gemm.h"

namespace sx {

double decode_attention_seconds(const CardSpeed& card, const DecodeAttention& ask) {
  const AttentionLaw& law = *card.attention;
  const double bytes = ask.sequences * ask.length * ask.token_bytes;
  // So many tiles are cut whatever their length: large batches of short requests cost them.
  const double tiles = law.tile_us * kMicrosecond * ask.sequences * ask.kv_heads;
  return law.start_us * kMicrosecond +
         joined(bytes / (law.memory * card.memory), tiles, law.exponent);
}

double latent_attention_seconds(const CardSpeed& card, const LatentAttention& ask) {
  const AttentionLaw& law = *card.attention;
  const double tokens = ask.sequences * ask.length;
  const double bytes = tokens * ask.token_bytes / (law.latent_memory * card.memory);
  const double work =
      2 * tokens * ask.heads * (2 * ask.latent + ask.rope) / (law.latent_compute * card.bf16);
  return law.latent_start_us * kMicrosecond + std::max(bytes, work);
}

double prefill_attention_seconds(const CardSpeed& card, const PrefillAttention& ask) {
  if (ask.length <= 0) return 0;
  const AttentionLaw& law = *card.attention;
  const double seen = std::min(ask.window, ask.length);
  const double pairs = ask.length * seen - seen * seen / 2;
  const double work = 2 * ask.heads * pairs * (ask.key_dim + ask.value_dim);
  return ask.chunks * law.prefill_start_us * kMicrosecond +
         work / (law.prefill_compute * card.bf16) * (1 + law.prefill_half / ask.length);
}

double linear_decode_seconds(const CardSpeed& card, double sequences, double state_bytes) {
  const AttentionLaw& law = *card.attention;
  return law.linear_start_us * kMicrosecond +
         2 * sequences * state_bytes / (law.linear_memory * card.memory);
}

double linear_prefill_seconds(const CardSpeed& card, double tokens) {
  return card.attention->linear_token_us * kMicrosecond * tokens;
}

}  // namespace sx
