// From sizes and settings to a launch that the checker can be asked about: the bare launch of the
// engine with the flags that say them, read again by the engine itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/case.h"
#include "facts/edit_command.h"
#include "plan/candidates.h"

namespace sx {

// What is chosen beside the sizes. Empty or 0: the engine's own default.
struct LaunchSettings {
  Tokens max_model_len;
  int max_num_seqs = 0;
  Tokens max_batched_tokens;
  int share_hundredths = 0;    // of each card
  bool fp8_cache = false;      // KV cache in 8 bits
  std::vector<int> partition;  // layers a stage
  std::vector<int> shares;     // of each card, where one process shares its layers out

  bool operator==(const LaunchSettings&) const = default;
};

LaunchKinds launch_kinds(const Case& bare);

// What keeps a vision tower whole on every rank, where engine, version and class of model take it.
std::optional<Change> whole_tower_change(const Case& bare);

// Whether the tower's heads do not split over the tensor ranks, and it can be kept whole instead:
// launches of that shape say so.
bool keeps_tower_whole(const Case& bare, const LaunchShape& shape);

// The launch on these GPUs, in rank order. Nothing when the engine has no words for it.
// `port` 0: the engine's own.
std::optional<Case> launch_on(const Case& bare, const LaunchShape& shape,
                              const LaunchSettings& settings, const std::vector<int>& gpus,
                              int port = 0);

// Shapes of one kind are launched with the same flags, which have other numbers.
struct ShapeKind {  // the sizes: more than one
  bool tensor = false, pipeline = false, ranks = false;
  bool expert = false, groups = false, small_cache = false, whole_tower = false;

  auto operator<=>(const ShapeKind&) const = default;
};
ShapeKind kind_of(const Case& bare, const LaunchShape& shape);
// Shapes whose launches differ in values alone, which those of one stage or one rank have too.
ShapeKind kind_by_values(const Case& bare, const LaunchShape& shape);

// The launch's command on other GPUs and with another port.
Command moved_to(const Case& launch, const std::vector<int>& gpus, int port);

}  // namespace sx
