// llama.cpp's row in the list of engines.
#include <algorithm>

#include "engines/llamacpp/llamacpp.h"
#include "engines/llamacpp/memory.h"
#include "engines/llamacpp/recognise.h"

namespace sx::llamacpp {
namespace {

// Layers go whole to a device, and rows of a matrix are shared out in any number: nothing has to
// divide.
SplitAsk split_ask(const Case&, const Layout& layout) { return {.layout = layout}; }

std::optional<bool> pipeline_supported(const Case&) { return true; }

// One process holds all layers; llama_budget says which device they go to.
std::vector<int> stages(const Case& c, const Layout&) {
  return {c.model().layers.known() ? std::max(0, c.model().layers.value()) : 0};
}

}  // namespace

constinit const Engine engine{
    .name = "llamacpp",
    .recognises = recognises,
    .serves_nothing = serves_nothing,
    .server = "llama-server",
    .understand = understand,
    .command_for = command_for,
    .budget = llama_budget,
    .split_ask = split_ask,
    .pipeline_supported = pipeline_supported,
    .stages = stages,
};

}  // namespace sx::llamacpp
