// vLLM's row in the list of engines.
#include "engines/vllm/memory.h"
#include "engines/vllm/recognise.h"
#include "engines/vllm/vllm.h"
#include "knowledge/architectures.h"

namespace sx::vllm {
namespace {

// A class that this version does not have, or that was not read, may or may not be split. One that
// cannot be split in the newest version that has it never could: stages are only ever added to a
// class.
std::optional<bool> pipeline_supported(const Case& c) {
  if (!c.model().architecture.known()) return {};
  const auto row = find_architecture(c.model().architecture.value());
  if (!row) return {};
  const auto there = architecture_in(*row, c.serve.version);
  if (there == true || (row->pipeline == false && there != false)) return row->pipeline;
  return {};
}

}  // namespace

constinit const Engine engine{
    .name = "vllm",
    .recognises = recognises,
    .server = "vllm serve MODEL",
    .understand = understand,
    .command_for = command_for,
    .budget = vllm_budget,
    .split_ask = vllm_split_ask,
    .pipeline_supported = pipeline_supported,
    .stages = vllm_stages,
    .stage_weights = vllm_stage_weights,
    .weights_alone = vllm_weights_alone,
};

}  // namespace sx::vllm
