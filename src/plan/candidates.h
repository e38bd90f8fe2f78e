// Every way to lay a model over some of the GPUs of a machine, judged by nothing yet.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "base/both.h"
#include "facts/model_spec.h"
#include "fit/layout.h"

namespace sx {

// The sizes of one launch.
struct LaunchShape {
  int tensor = 1;
  int pipeline = 1;
  int ranks = 1;             // data-parallel ranks inside the launch, which share the experts out
  bool expert = false;       // experts stay whole
  int groups = 1;            // of requests, among which the tensor ranks share attention out
  bool small_cache = false;  // KV cache in 8 bits, though nobody asked for it

  auto operator<=>(const LaunchShape&) const = default;
  int gpus() const { return tensor * pipeline * ranks; }
  Layout layout() const;      // of one launch
  std::string label() const;  // "TP2 x PP3", "TP8 + EP + DP attention", "TP4 + FP8 KV"
  LaunchShape with_small_cache() const;
};

// Replicas are launches beside one another.
struct Candidate {
  LaunchShape shape;
  int replicas = 1;

  int gpus() const { return shape.gpus() * replicas; }
  Layout layout() const;      // `data` counts replicas too
  std::string label() const;  // "TP2 x PP3", "3 x TP2", "TP1 x DP8 + EP"
};

// The most GPUs of one machine that are planned for.
inline constexpr int kMostPlannedGpus = 64;

// What an engine can be told.
struct LaunchKinds {
  bool ranks = false;    // data-parallel ranks that share the experts out
  bool experts = false;  // whole experts
  bool groups = false;   // attention that is shared out by requests inside a tensor group
  bool stages = true;    // pipeline stages
  bool tensor = true;    // tensor groups
  // One process shares its layers out over all GPUs that it sees: stages, and no flag says them.
  bool by_layers = false;
};

// The label for people: of a process that shares its layers out there is no tensor group to name.
Both shown_label(const Candidate& candidate, const LaunchKinds& kinds);

// All sizes over 1 … `gpus` GPUs: fewer GPUs first, then wider tensor groups.
std::vector<Candidate> candidates(const ModelSpec& model, const LaunchKinds& kinds, int gpus);

}  // namespace sx
