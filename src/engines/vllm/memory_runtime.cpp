// What stands outside torch's own allocator, measured: the CUDA context's growth, collectives,
// loaded kernels; and the engine's estimate of its CUDA graphs.
#include <algorithm>

#include "engines/budget_parts.h"
#include "engines/newest_notes.h"
#include "engines/vllm/memory_peak.h"

namespace sx {
namespace {

constexpr Text kContext{"context, kernels", "CUDA 上下文与内核"};
constexpr Text kOverNvlink{"collectives over NVLink", "集合通信走 NVLink"};
constexpr Text kOverPcie{"collectives over PCIe", "集合通信走 PCIe"};
constexpr Text kEager{"eager mode", "eager 模式"};
constexpr Text kNotSubtracted{"not subtracted by this version", "该版本不预先扣除"};
constexpr Text kOwnEstimate{"the engine's own estimate, captured sizes: {sizes}",
                            "引擎自己的估计，捕获的尺寸数：{sizes}"};

std::string_view row_of_tensor_ranks(int ranks) {
  if (ranks == 2) return "runtime-nvlink-tp2";
  if (ranks == 4) return "runtime-nvlink-tp4";
  return ranks >= 8 ? "runtime-nvlink-tp8" : "runtime-nvlink-other";
}

std::string_view row_of_v0(const PeakAsk& ask) {
  if (ask.layout.tensor > 1) return "runtime-v0-tp";
  const bool hopper = ask.gpu.capability.known() && ask.gpu.capability.value().major == 9;
  return hopper ? "runtime-v0-one-gpu-h100" : "runtime-v0-one-gpu";
}

// Boards of A100's kind and the larger ones after it: 8.0, 9.x, 10.x; also where the kind is not
// known.
bool is_large_board(const Gpu& gpu) {
  const ComputeCapability card = gpu.capability.value_or({8, 0});
  return card == ComputeCapability{8, 0} || card.major == 9 || card.major == 10;
}

std::string_view row_of_one_gpu(const Gpu& gpu) {
  const ComputeCapability card = gpu.capability.value_or({9, 0});
  if (card.major >= 9) return "runtime-one-gpu";
  return is_large_board(gpu) ? "runtime-one-gpu-a100" : "runtime-one-gpu-others";
}

std::string_view row_of_runtime(const PeakAsk& ask) {
  const bool unified =
      ask.gpu.capability.known() && ask.gpu.capability.value() == ComputeCapability{12, 1};
  if (unified) return "runtime-gb10";
  if (ask.machines > 1) return "runtime-two-machines";
  if (ask.settings.v0) return row_of_v0(ask);
  if (ask.layout.tensor > 1)
    return ask.nvlink ? row_of_tensor_ranks(ask.layout.tensor) : "runtime-pcie-tp";
  const bool hands_on = ask.place.stages > 1 && !ask.place.last;
  return hands_on ? "runtime-non-sampling-stage" : row_of_one_gpu(ask.gpu);
}

// Batch sizes that are captured: 1, 2, 4, then in small steps below 256 and in large ones from
// there.
int captured_sizes(const PeakAsk& ask) {
  constexpr int kWhereStepsGrow = 256;
  const Version& version = ask.settings.version;
  const auto number = [&version](std::string_view name) {
    return vllm_constant(name, version).value;
  };
  const bool blackwell = ask.gpu.capability.known() && ask.gpu.capability.value().major == 10;
  const double cap = number(blackwell ? "graph-sizes-largest:cc10" : "graph-sizes-largest");
  const double wanted = number("graph-sizes-per-sequence") * ask.settings.max_num_seqs *
                        (1.0 + ask.settings.draft_tokens);
  const auto tokens = static_cast<double>(ask.settings.batched_tokens.count());
  const int largest = static_cast<int>(std::min({wanted, cap, tokens}));
  const int small = std::max(1, static_cast<int>(number("graph-sizes-step-small")));
  const int large = std::max(1, static_cast<int>(number("graph-sizes-step-large")));
  int sizes = 0;
  for (const int size : {1, 2, 4}) sizes += size <= largest ? 1 : 0;
  sizes += std::min(largest, kWhereStepsGrow - 1) / small;
  if (largest >= kWhereStepsGrow) sizes += (largest - kWhereStepsGrow) / large + 1;
  return sizes;
}

// What was measured of graphs by a model's size was measured on one GPU, of dense models.
bool dense_and_alone(const PeakAsk& ask) {
  return ask.layout.tensor == 1 && ask.place.stages == 1 && ask.shape.experts == 0;
}

// What graphs hold grows with the layers and their width.
double width_of_layers(const PeakAsk& ask) {
  return static_cast<double>(ask.model.layers.value_or(0)) * static_cast<double>(ask.shape.hidden);
}

// Small models on the other cards: their graphs were recorded at less than the general law says, by
// the layers and their width.
void lower_for_small_models(Constant& gib, const PeakAsk& ask) {
  if (!dense_and_alone(ask) || is_large_board(ask.gpu)) return;
  const auto base = constant("vllm", "graph-estimate-small-base", ask.settings.version);
  const auto width = constant("vllm", "graph-estimate-small-per-width", ask.settings.version);
  if (!base || !width) return;
  const double wide = width_of_layers(ask);
  gib.value = std::min(gib.value, base->value + width->value * wide);
  gib.low = std::min(gib.low, base->low + width->low * wide);
}

// Large models take more for each captured size than the general law says.
double more_for_large_models(const PeakAsk& ask) {
  const auto from = constant("vllm", "graph-estimate-wide-from", ask.settings.version);
  if (!from || from->value <= 0 || !dense_and_alone(ask)) return 1;
  return std::max(1.0, width_of_layers(ask) / from->value);
}

}  // namespace

BudgetLine runtime_line(const PeakAsk& ask) {
  const std::string_view row = row_of_runtime(ask);
  static const Notes kAlone{kContext}, kNvlink{kContext, kOverNvlink}, kPcie{kContext, kOverPcie};
  const Notes& together = ask.nvlink ? kNvlink : kPcie;
  return line_of_gib("runtime", vllm_constant(row, ask.settings.version),
                     ask.layout.tensor > 1 ? together : kAlone);
}

BudgetLine graph_line(const PeakAsk& ask) {
  if (!ask.settings.estimates_graphs) {
    return {.name = "graphs",
            .origin = Origin::Formula,
            .notes = {ask.settings.eager ? kEager : kNotSubtracted}};
  }
  const Constant base = vllm_constant("graph-estimate-base", ask.settings.version);
  const Constant step = vllm_constant("graph-estimate-per-size", ask.settings.version);
  const int sizes = captured_sizes(ask);
  const double larger = more_for_large_models(ask);
  Constant gib = base;
  gib.value = base.value + step.value * sizes * larger;
  gib.low = base.low + step.low * sizes;
  gib.high = base.high + step.high * sizes * larger;
  lower_for_small_models(gib, ask);
  // Estimates of large mixtures of experts were recorded at several times that of dense models.
  if (ask.shape.experts > 0)
    gib.high =
        std::max(gib.high, vllm_constant("graph-estimate-large-moe", ask.settings.version).low);
  thread_local NewestNotes<int> newest;
  return line_of_gib("graphs", gib, newest.of(sizes, [sizes] {
    return Notes{Message{kOwnEstimate, {{"sizes", sizes}}}};
  }));
}

}  // namespace sx
