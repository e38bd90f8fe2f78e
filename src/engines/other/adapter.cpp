// The adapter of all engines that are recognised only: sizes and heads are known, memory is not.
#include "engines/other/other.h"

namespace sx::other {
namespace {

constexpr Text kNoBudget{"how this engine spends memory is not known",
                         "不清楚这个引擎如何使用显存"};

std::optional<std::size_t> recognises(std::span<const Word> words) {
  return find_launch(words) ? std::optional<std::size_t>(0) : std::nullopt;
}

std::vector<std::string> command_for(const ServeSpec&) { return {}; }

std::expected<Budget, NoBudget> budget(const Case&, const Layout&) {
  return std::unexpected(NoBudget{.why = kNoBudget});
}

// Heads are shared out everywhere; what else must divide is each engine's own affair.
SplitAsk split_ask(const Case&, const Layout& layout) {
  return {.layout = layout, .marlin = false, .pads_vocabulary = true};
}

std::optional<bool> pipeline_supported(const Case&) { return false; }

std::vector<int> stages(const Case& c, const Layout&) {
  return {c.model().layers.known() ? c.model().layers.value() : 0};
}

}  // namespace

constinit const Engine engine{
    .name = "other",
    .recognises = recognises,
    .understand = understand,
    .command_for = command_for,
    .budget = budget,
    .split_ask = split_ask,
    .pipeline_supported = pipeline_supported,
    .stages = stages,
};

}  // namespace sx::other
