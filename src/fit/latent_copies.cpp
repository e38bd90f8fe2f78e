// The products of the latent attention that are kept beside the weights, and their bytes.
#include "fit/latent_copies.h"

#include <algorithm>
#include <cstdint>

namespace sx {
namespace {

constexpr double k16Bit = 2;

double real(std::int64_t size) { return static_cast<double>(size); }

// The halves of the up-projection, multiplied into the query's projection and into the output's,
// and the part of the query that is rotated. They keep the format of 8-bit checkpoints.
double products(const ModelSpec& model, const Shape& s, double heads) {
  const bool fp8 = model.is_quantised() && model.quantisation.value().method == "fp8";
  const double before = real(s.q_lora > 0 ? s.q_lora : s.hidden);
  const double latent = heads * real(s.kv_lora);
  return (fp8 ? 1 : k16Bit) *
         (before * (latent + heads * real(s.qk_rope)) + latent * real(s.hidden));
}

}  // namespace

double latent_copies(const ModelSpec& model, const Shape& shape, const WeightsAsk& ask) {
  if (!shape.is_mla()) return 0;
  const int ranks = ask.attention_ranks > 0 ? ask.attention_ranks : std::max(1, ask.layout.tensor);
  const double heads = real(shape.heads / ranks);
  if (ask.latent_products) return products(model, shape, heads);
  return k16Bit * heads * real(shape.kv_lora) * real(shape.qk_nope + shape.v_head);
}

}  // namespace sx
