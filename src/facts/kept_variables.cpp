// By prefix; everything else of an environment is passed over.
#include "facts/kept_variables.h"

#include <algorithm>
#include <array>

namespace sx {
namespace {

constexpr std::array<std::string_view, 23> kPrefixes{
    "VLLM_",   "SGLANG_",     "SGL_",    "LLAMA_",      "GGML_",        "NCCL_",
    "RCCL_",   "CUDA_",       "NVIDIA_", "HIP_",        "ROCR_",        "HSA_",
    "TORCH_",  "PYTORCH_",    "GLOO_",   "UCX_",        "HF_",          "OMP_",
    "TRITON_", "FLASHINFER_", "RAY_",    "MODELSCOPE_", "TRANSFORMERS_"};

}  // namespace

bool concerns_engines(std::string_view name) {
  return std::ranges::any_of(kPrefixes,
                             [name](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace sx
