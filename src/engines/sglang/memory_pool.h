// From what a GPU has left to SGLang's pools: full attention, sliding windows, recurrent state.
#pragma once

#include <vector>

#include "engines/sglang/memory_settings.h"
#include "facts/model_spec.h"
#include "fit/shape.h"

namespace sx {

// Bytes a token, by what keeps them; of one rank of one stage.
struct SglangCells {
  double full = 0;    // all layers of full attention together, a draft's included
  double window = 0;  // all layers of sliding windows
  Tokens in_room;     // the same without --max-total-tokens
  Bytes state;        // one slot of recurrent state in all layers of the stage
  double window_tokens = 0;
};
SglangCells sglang_cells(const ModelSpec& model, const SglangSettings& s,
                         const std::vector<int>& layers);

struct SglangPool {
  Tokens tokens;     // of full attention, as the engine prints it
  Tokens in_room;    // the same without --max-total-tokens
  Bytes state;       // slots of recurrent state
  double slots = 0;  // of them; 0: the model has no state
  double token = 0;  // bytes that one more token takes, windows in their ratio included
};
SglangPool sglang_pool(const SglangSettings& s, const SglangCells& cells, Bytes room);

}  // namespace sx
