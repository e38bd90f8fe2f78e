// How the weights of a launch are stored, in the engine's own names, and what that asks of the
// cards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/rule.h"
#include "knowledge/quantisation.h"

namespace sx::rules {

struct NumberFormat {
  std::string method;    // as the engine calls it: "fp8", "modelopt_fp4", "awq_marlin"
  std::string scheme;    // "fp8 block", "compressed-tensors packed"; empty: the method says it all
  bool by_flag = false;  // --quantization on a 16-bit checkpoint
  bool fp8 = false;
  bool fp4 = false;  // NVFP4
};

// Nothing when the weights are not quantised, or when flag and checkpoint disagree: that is a
// finding of its own.
std::optional<NumberFormat> number_format(const Case& c);

// The method that a checkpoint's config stands for in this version: "modelopt" with NVFP4 is
// "modelopt_fp4".
std::string engine_method(const ServeSpec& serve, const Quantisation& quantisation);

// Whether --quantization may say that of a checkpoint of this method: another kernel for the same
// weights.
bool same_weights(std::string_view flag, std::string_view method);

// The least compute capability in this version; empty: unknown.
std::optional<ComputeCapability> needed_capability(const NumberFormat& format,
                                                   const ServeSpec& serve);

// The first newer version that was read and asks no more than the card has; empty: none, or not
// known.
std::optional<Version> version_for(const NumberFormat& format, const ServeSpec& serve,
                                   const ComputeCapability& have);

// The method whose kernels run, and so decide on types of activations: of a checkpoint in AWQ or
// GPTQ the Marlin one where the card takes it.
std::string kernel_method(const NumberFormat& format, const Case& c);

// "FP8 weights in blocks", "AWQ weights" …; the method's own name for rare ones.
Value format_words(const NumberFormat& format);

// Underlines the flag, or the model with what its config says.
void mark_format(const Case& c, Diagnostic& d, const NumberFormat& format);

// "NVIDIA A100-PCIE-40GB", or "GPU 3 (Tesla T4)" among unlike cards.
std::string card_words(const Case& c, const Gpu& gpu);

// Generations of cards from a capability on: "Ada, Hopper, Blackwell".
std::string generations_from(const ComputeCapability& least);

}  // namespace sx::rules
