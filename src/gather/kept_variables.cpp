// By prefix and by part of the name; everything else of an environment is passed over.
#include "gather/kept_variables.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace sx {
namespace {

constexpr std::array<std::string_view, 23> kPrefixes{
    "VLLM_",   "SGLANG_",     "SGL_",    "LLAMA_",      "GGML_",        "NCCL_",
    "RCCL_",   "CUDA_",       "NVIDIA_", "HIP_",        "ROCR_",        "HSA_",
    "TORCH_",  "PYTORCH_",    "GLOO_",   "UCX_",        "HF_",          "OMP_",
    "TRITON_", "FLASHINFER_", "RAY_",    "MODELSCOPE_", "TRANSFORMERS_"};
constexpr std::array<std::string_view, 7> kSecretParts{"KEY",    "TOKEN",      "SECRET", "PASSWORD",
                                                       "PASSWD", "CREDENTIAL", "AUTH"};

}  // namespace

bool concerns_engines(std::string_view name) {
  return std::ranges::any_of(kPrefixes,
                             [name](std::string_view prefix) { return name.starts_with(prefix); });
}

bool looks_secret(std::string_view name) {
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return std::ranges::any_of(kSecretParts,
                             [&upper](std::string_view part) { return upper.contains(part); });
}

}  // namespace sx
