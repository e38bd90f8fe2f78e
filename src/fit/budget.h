// One GPU's memory as lines that sum to its capacity, each with where it comes from and how sure it
// is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "diag/message.h"
#include "facts/fact.h"
#include "fit/notes.h"

namespace sx {

// Names are those of the machine format: weights draft activations graphs runtime state kv_cache
// unused.
struct BudgetLine {
  std::string_view name;
  Bytes bytes;      // best estimate
  Bytes low, high;  // band: eight of ten machines lie between
  Origin origin = Origin::Formula;
  Notes notes;  // what was counted, for --why: "layers: 27", "embedding", "one of 2 ranks"
};

struct GpuBudget {
  int gpu = 0;  // position among the launch's GPUs, replica 0
  int stage = 0;
  int rank = 0;    // within the stage
  Bytes capacity;  // what the runtime sees
  std::vector<BudgetLine>
      lines;   // sum to capacity (kv_cache 0 and the others above it when they cannot)
  Bytes room;  // for KV and state by best estimate; negative: so much is missing
  // Eight of ten machines lie between: what makes one line larger says nothing of the others, so
  // their bands add up as independent errors do, by squares.
  Bytes room_low, room_high;
  Bytes kv_bytes;                    // max(room, 0)
  std::int64_t bytes_per_token = 0;  // of KV cache on this GPU; 0: no attention layers here

  const BudgetLine* line(std::string_view name) const;
};

// Closes a list of lines: works out the room from the capacity and all lines so far and adds
// `kv_cache`, so that lines sum to the capacity whenever they can.
GpuBudget balanced(GpuBudget gpu);

struct Budget {
  std::vector<GpuBudget> gpus;  // of one replica, rank order within stage order
  Tokens kv_tokens;             // as this engine version prints it: tightest stage
  Tokens kv_tokens_low, kv_tokens_high;
  Tokens request_tokens;  // tokens that one longest request takes of the pool (max_model_len, or
                          // more for hybrids)
  Tokens max_model_len;   // asked, or the model's own
  bool max_model_len_asked = false;
  // Of each GPU only the weights and what the share leaves out: enough to see that they are too
  // much for it, and no other number here counts.
  bool weights_alone = false;
  double max_concurrency = 0;
  int max_num_seqs = 0;  // in force, default or asked
  Tokens max_batched_tokens;
  double memory_fraction = 0;
  Tokens longest_possible;           // largest max_model_len of which one request fits
  std::vector<Message> assumptions;  // what was taken for granted

  const GpuBudget& tightest() const;  // least room
};

// Why there is no budget: what is unknown.
struct NoBudget {
  Message why;
};

}  // namespace sx
