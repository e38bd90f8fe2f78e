// What the catalogue of cards adds to a GPU that was named, pasted or asked.
#pragma once

#include "facts/host_spec.h"
#include "knowledge/gpus.h"

namespace sx {

// Fills what is still unknown of `gpu` from the catalogue; what is already known stays. `kind` may
// be null: then only the memory that the CUDA runtime sees is derived from the total. `origin` says
// how sure the kind is: Measured or Assumed.
void describe_card(Gpu& gpu, const GpuKind* kind, Origin origin);

// The card of the catalogue that a printed name stands for; null when nothing fits.
const GpuKind* kind_of(const Gpu& gpu);

}  // namespace sx
