// SGLang's row in the list of engines.
#include "engines/sglang/memory.h"
#include "engines/sglang/recognise.h"
#include "engines/sglang/sglang.h"
#include "engines/sglang/split.h"

namespace sx::sglang {

constinit const Engine engine{
    .name = "sglang",
    .recognises = recognises,
    .server = "sglang serve --model-path MODEL",
    .understand = understand,
    .command_for = command_for,
    .budget = sglang_budget,
    .split_ask = split_ask,
    .pipeline_supported = pipeline_supported,
    .stages = sglang_stages,
    .stage_weights = sglang_stage_weights,
};

}  // namespace sx::sglang
