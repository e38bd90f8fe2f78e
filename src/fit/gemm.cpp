// The law of five constants: a start, arithmetic and memory joined by an exponent, and the pass
// that quantises activations.
#include "fit/gemm.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sx {
namespace {

constexpr double kSixteenBit = 2;  // bytes
constexpr double kAboutOne = 1.2;  // FP8 with its scales stays below, 16 bit above

// A part left in 16 bit is 16 bit, whatever the rest of the checkpoint is.
WeightFormat part(double bytes, std::string_view name) {
  if (bytes >= kSixteenBit * 0.99) return {bytes, &format_law("bf16"), "bf16"};
  if (name == "nvfp4" && bytes > 0.9) return {bytes, &format_law("fp8"), "fp8"};
  return {bytes, &format_law(name), name};
}

// The row of formats.tsv for what a checkpoint is.
std::string_view format_name(const ModelSpec& model, const NumberFormats& formats,
                             std::string_view flag) {
  const std::string& name = formats.name;
  const auto has = [&name](std::string_view word) { return name.find(word) != name.npos; };
  if (has("mxfp4")) return "mxfp4";
  if (has("nvfp4")) return "nvfp4";
  if (has("fp8")) {
    if (!model.is_quantised() || flag.find("fp8") != flag.npos) return "fp8-channel";
    const Quantisation& quantisation = model.quantisation.value();
    const bool one_a_channel =
        quantisation.method.find("compressed") != std::string::npos && !quantisation.block_rows;
    return one_a_channel ? "fp8-channel" : "fp8";
  }
  if (has("int8")) return "int8";
  if (has("16 bit")) return "bf16";
  if (formats.dense > kAboutOne && formats.expert > kAboutOne) return "bf16";
  return "int4";
}

double worked_out(double a, double b, double exponent) {
  const double larger = a > b ? a : b;
  const double ratio = a > b ? b / a : a / b;
  return larger * std::pow(1 + std::pow(ratio, exponent), 1 / exponent);
}

// Layouts of one search ask the same few hundred sums many times, and a power takes as long as all
// the rest of a product. The sum hangs on three numbers alone: what is kept is found by all their
// bits.
using Bits = std::uint64_t;
struct JoinedOf {
  Bits a = 0, b = 0, exponent = 0;
  bool operator==(const JoinedOf&) const = default;
};
struct JoinedOnce {
  JoinedOf of;
  double value = 0;
};
constexpr std::size_t kJoinedKept = 256;  // 8 KiB; a power of two, as a hash is cut to it

Bits bits(double value) { return std::bit_cast<Bits>(value); }

std::size_t place_of(const JoinedOf& of) {
  constexpr Bits kOdd = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
  const Bits mixed = ((of.a * kOdd ^ of.b) * kOdd ^ of.exponent) * kOdd;
  return static_cast<std::size_t>(mixed >> 32) & (kJoinedKept - 1);
}

}  // namespace

double joined(double a, double b, double exponent) {
  if (a <= 0) return b;
  if (b <= 0) return a;
  // Zero is no bits of a or b here: an empty place is nobody's.
  const JoinedOf of{bits(a), bits(b), bits(exponent)};
  static thread_local std::array<JoinedOnce, kJoinedKept> kept{};
  JoinedOnce& place = kept[place_of(of)];
  if (place.of != of) place = {of, worked_out(a, b, exponent)};
  return place.value;
}

WeightFormats weight_formats(const ModelSpec& model, const Shape& shape, std::string_view flag) {
  const NumberFormats formats = number_formats(model, shape, flag);
  const std::string_view name = format_name(model, formats, flag);
  return {.attention = part(formats.attention, name),
          .dense = part(formats.dense, name),
          .expert = part(formats.expert, name),
          .plain = part(kSixteenBit, "bf16"),
          .padded_experts = formats.padded_experts};
}

Units units_of(const CardSpeed& card, const FormatLaw& format) {
  if (format.arithmetic == "fp4" && card.fp4_law != nullptr)
    return {.law = card.fp4_law, .peak = card.fp4, .activation_bytes = 0.5};
  if (format.arithmetic == "fp8" && card.fp8_law != nullptr)
    return {.law = card.fp8_law, .peak = card.fp8, .activation_bytes = 1};
  return {.law = card.bf16_law, .peak = card.bf16, .activation_bytes = 2};
}

double gemm_seconds(const CardSpeed& card, const Product& product, const WeightFormat& weights) {
  const auto& [m, n, k] = product;
  if (m <= 0 || n <= 0 || k <= 0) return 0;
  const Units units = units_of(card, *weights.law);
  const GemmLaw& law = *units.law;
  const double work = 2 * m * n * k / (law.compute * weights.law->gemm_compute * units.peak);
  const double bytes = weights.bytes * n * k / weights.law->gemm_memory +
                       units.activation_bytes * m * k + kSixteenBit * m * n;
  double seconds =
      law.start_us * kMicrosecond + joined(work, bytes / (law.memory * card.memory), law.exponent);
  if (law.quantise > 0)
    seconds += m * k * (kSixteenBit + units.activation_bytes) / (law.quantise * card.memory);
  return seconds;
}

}  // namespace sx
