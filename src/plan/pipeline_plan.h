// Serving a diffusion pipeline: whether a card holds all its components, replicas against one
// picture over several cards, and which programs do either. There is no KV cache to plan.
#pragma once

#include <string>
#include <vector>

#include "facts/host_spec.h"
#include "facts/pipeline_part.h"
#include "knowledge/pipeline_programs.h"

namespace sx {

struct PipelineAsk {
  std::string model;  // as the programs are told it
  const std::vector<PipelinePart>* parts = nullptr;
  const HostSpec* host = nullptr;
  int gpus = 0;  // use at most so many; 0: all there are
};

// One card and what it has for the pipeline.
struct PipelineCard {
  int gpu = 0;
  Bytes capacity, free;  // what the runtime sees, and what others leave of it
  bool holds_all = false;
};

// A component on a card, where no card holds all.
struct PlacedComponent {
  const PipelinePart* part = nullptr;
  int gpu = 0;
};

struct PipelineServing {
  const PipelineProgram* program = nullptr;
  int replicas = 1;
  int gpus_each = 1;
  std::vector<std::vector<int>> gpus;  // of each replica
  std::vector<int> idle;
  std::vector<std::string> commands;  // empty: the program starts no server
};

struct PipelineAnswer {
  Bytes weights;                        // of all components, as they are stored
  std::vector<PipelineCard> cards;      // of known memory
  std::vector<PipelineServing> plans;   // replicas first, then one picture over several cards
  std::vector<PlacedComponent> placed;  // where no card holds all, and together they do
  int heads = 0;                        // of the largest component; 0: not known
  bool memory_unknown = false;          // of any card, or no weights are there

  bool fits() const { return !plans.empty() || !placed.empty(); }
};

PipelineAnswer plan_pipeline(const PipelineAsk& ask);

}  // namespace sx
