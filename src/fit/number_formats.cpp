// What each kind of checkpoint stores. Bytes an element come from data (weight-bytes:…).
#include "fit/number_formats.h"

#include <algorithm>

#include "base/strings.h"
#include "fit/splits_quantised.h"

namespace sx {
namespace {

bool has(std::string_view text, std::string_view word) {
  return lower(text).find(word) != std::string::npos;
}

double bytes_of(std::string_view format) {
  return formula_constant("weight-bytes:" + std::string(format));
}

// Integer weights with a scale and a zero a group; the table's row holds for groups of 128.
double grouped_bytes(const Quantisation& quantisation) {
  constexpr double kGroupOfRow = 128;
  const double bits = std::clamp(quantisation.bits.value_or(4), 1.0, 32.0);
  const double plain = bits / 8;
  const double scales = bytes_of("int4") - 0.5;
  const int group = quantisation.group_size.value_or(static_cast<int>(kGroupOfRow));
  return group > 0 ? plain + scales * kGroupOfRow / group : plain;
}

NumberFormats all_of(double bytes, std::string_view name) {
  return {.attention = bytes, .dense = bytes, .expert = bytes, .name = std::string(name)};
}

NumberFormats nvfp4(const Shape& shape, bool mixed) {
  const double small = bytes_of("nvfp4");
  NumberFormats formats = all_of(small, "nvfp4");
  // Checkpoints with latent attention leave it in 16 bit; mixed ones have it in FP8.
  if (shape.is_mla()) formats.attention = bytes_of("none");
  if (mixed) formats.attention = bytes_of("fp8");
  formats.sure = false;
  return formats;
}

NumberFormats compressed_tensors(const Shape& shape, const Quantisation& quantisation) {
  const bool floats = has(quantisation.format, "float") || has(quantisation.format, "fp8");
  if (has(quantisation.format, "nvfp4")) return nvfp4(shape, false);
  if (floats) return all_of(bytes_of("fp8"), "fp8");
  if (quantisation.bits.value_or(4) >= 8) return all_of(bytes_of("int8"), "int8");
  NumberFormats formats = all_of(grouped_bytes(quantisation), "int4");
  // Large MoE checkpoints of this kind (Kimi K2) have their routed experts in 4 bit, all else
  // in 16.
  if (shape.experts > 0) {
    formats = all_of(bytes_of("none"), "int4 experts");
    formats.expert = bytes_of("int4-32");
  }
  if (keeps_in_16_bit(quantisation, "attn")) formats.attention = bytes_of("none");
  return formats;
}

NumberFormats of_checkpoint(const Shape& shape, const Quantisation& quantisation) {
  const std::string& method = quantisation.method;
  const std::string words = method + " " + quantisation.format;
  if (has(words, "mxfp4")) {
    NumberFormats formats = all_of(bytes_of("none"), "mxfp4 experts");
    formats.expert = bytes_of("mxfp4");
    formats.padded_experts = true;
    return formats;
  }
  if (has(words, "compressed")) return compressed_tensors(shape, quantisation);
  if (has(words, "nvfp4")) return nvfp4(shape, false);
  if (has(words, "mixed")) return nvfp4(shape, true);
  if (has(words, "fp8")) return all_of(bytes_of("fp8"), "fp8");
  if (has(words, "awq") || has(words, "gptq") || has(words, "auto-round")) {
    const bool eight = quantisation.bits.value_or(4) >= 8;
    return eight ? all_of(bytes_of("int8"), "int8") : all_of(grouped_bytes(quantisation), "int4");
  }
  NumberFormats formats = all_of(grouped_bytes(quantisation), method);
  formats.sure = false;
  return formats;
}

double up(std::int64_t size, double tile) {
  const auto whole = static_cast<std::int64_t>(std::max(tile, 1.0));
  return static_cast<double>((size + whole - 1) / whole * whole);
}

}  // namespace

NumberFormats number_formats(const ModelSpec& model, const Shape& shape, std::string_view flag) {
  if (has(flag, "fp8")) return all_of(bytes_of("fp8-channel"), "fp8");
  if (model.is_quantised()) return of_checkpoint(shape, model.quantisation.value());
  if (has(flag, "bitsandbytes") || has(flag, "int4")) {
    NumberFormats formats = all_of(bytes_of("nvfp4"), flag);
    formats.sure = false;
    return formats;
  }
  return all_of(bytes_of("none"), "16 bit");
}

double expert_padding(const Shape& shape, std::int64_t expert_width,
                      const ComputeCapability& capability) {
  if (expert_width < 1 || shape.hidden < 1) return 1;
  const char* kernel = capability.major == 9    ? "hopper"
                       : capability.major == 10 ? "blackwell"
                                                : "marlin";
  const double inner =
      up(expert_width, formula_constant(std::string("mxfp4-tile-inner:") + kernel));
  const double hidden =
      up(shape.hidden, formula_constant(std::string("mxfp4-tile-hidden:") + kernel));
  return inner * hidden / (static_cast<double>(expert_width) * static_cast<double>(shape.hidden));
}

}  // namespace sx
