// What an engine keeps of a layer's latent attention beside the checkpoint's own matrices, so that
// a token is drawn without unpacking the latent: bytes of one rank.
#pragma once

#include "facts/model_spec.h"
#include "fit/shape.h"
#include "fit/weights.h"

namespace sx {

double latent_copies(const ModelSpec& model, const Shape& shape, const WeightsAsk& ask);

}  // namespace sx
