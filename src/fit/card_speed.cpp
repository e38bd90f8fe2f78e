// A card's peaks from its data sheet, its laws from measurements of its family.
#include "fit/card_speed.h"

#include <optional>
#include <string>

namespace sx {
namespace {

constexpr Text kNoName{"the name of GPU {gpu} is not known", "GPU {gpu} 的型号未知"};
constexpr Text kNotInCatalogue{"{name} is not in the GPU catalogue", "GPU 数据表里没有 {name}"};
constexpr Text kNoRate{"the memory bandwidth of {name} is not known", "{name} 的显存带宽未知"};
constexpr Text kNoPeak{"the peak 16-bit throughput of {name} is not known",
                       "{name} 的 16 位峰值算力未知"};
constexpr Text kNoFamily{"nothing is known of how fast kernels run on {architecture} cards",
                         "没有 {architecture} 架构的 GPU 上算子实际速度的资料"};

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;
constexpr double kSharp = 8;  // exponent by which a sum is nearly the larger part

// All that a card's speed hangs on, and the newest answer: a search asks for the same cards with
// every layout.
struct KnownSpeed {
  std::string name;
  std::optional<Bytes> memory;
  bool small_cache = false;
  CardSpeed speed;
};

std::expected<CardSpeed, Message> looked_up(const Gpu& gpu, bool small_cache) {
  if (!gpu.name.known()) return std::unexpected(Message{kNoName, {{"gpu", gpu.index}}});
  const std::string& name = gpu.name.value();
  const GpuKind* kind = gpu_by_driver_name(
      name, gpu.memory.known() ? std::optional(gpu.memory.value()) : std::nullopt);
  if (kind == nullptr) return std::unexpected(Message{kNotInCatalogue, {{"name", name}}});
  if (kind->memory_gb_per_second.value_or(0) <= 0)
    return std::unexpected(Message{kNoRate, {{"name", name}}});
  if (kind->fp16_tflops.value_or(0) <= 0)
    return std::unexpected(Message{kNoPeak, {{"name", name}}});
  const auto card = speed_card(*kind);
  if (!card) {
    return std::unexpected(Message{kNoFamily, {{"architecture", kind->architecture}}});
  }
  CardSpeed speed{.kind = kind, .card = *card};
  speed.bf16 = *kind->fp16_tflops * kTera;
  speed.fp8 = kind->fp8_tflops.value_or(0) * kTera;
  speed.fp4 = kind->fp4_tflops.value_or(0) * kTera;
  speed.memory = *kind->memory_gb_per_second * kGiga;
  speed.bf16_law = gemm_law(card->family, "bf16");
  if (speed.fp8 > 0) speed.fp8_law = gemm_law(card->family, "fp8");
  if (speed.fp4 > 0) speed.fp4_law = gemm_law(card->family, "fp4");
  speed.attention = attention_law(card->family, small_cache ? "fp8" : "bf16");
  if (speed.bf16_law == nullptr || speed.attention == nullptr) {
    return std::unexpected(Message{kNoFamily, {{"architecture", kind->architecture}}});
  }
  return speed;
}

}  // namespace

std::expected<CardSpeed, Message> card_speed(const Gpu& gpu, double kv_element) {
  thread_local std::optional<KnownSpeed> newest;
  const bool small_cache = kv_element < 2;
  const auto memory = gpu.memory.known() ? std::optional(gpu.memory.value()) : std::nullopt;
  const bool same = newest && gpu.name.known() && newest->name == gpu.name.value() &&
                    newest->memory == memory && newest->small_cache == small_cache;
  if (same) return newest->speed;
  auto speed = looked_up(gpu, small_cache);
  if (speed) newest = KnownSpeed{gpu.name.value(), memory, small_cache, *speed};
  return speed;
}

CardSpeed ideal(CardSpeed card) {
  static constexpr GemmLaw kGemm{.compute = 1, .memory = 1, .exponent = kSharp};
  static constexpr AttentionLaw kAttention{.memory = 1,
                                           .exponent = kSharp,
                                           .prefill_compute = 1,
                                           .latent_memory = 1,
                                           .latent_compute = 1,
                                           .linear_memory = 1};
  card.bf16_law = &kGemm;
  if (card.fp8 > 0) card.fp8_law = &kGemm;
  if (card.fp4 > 0) card.fp4_law = &kGemm;
  card.attention = &kAttention;
  return card;
}

}  // namespace sx
