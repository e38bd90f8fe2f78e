// How long a matrix product takes on one card.
#pragma once

#include <string_view>

#include "fit/card_speed.h"
#include "fit/number_formats.h"

namespace sx {

constexpr double kMicrosecond = 1e-6;

// Two costs that overlap more the larger the exponent is: 1 adds them, large takes the larger.
double joined(double a, double b, double exponent);

// How the weights of a part of a model are stored: bytes an element, and the law of its kernels.
struct WeightFormat {
  double bytes = 2;
  const FormatLaw* law = nullptr;
  std::string_view name;  // row of formats.tsv
};
struct WeightFormats {
  WeightFormat attention, dense, expert;
  WeightFormat plain;           // 16 bit: gates, heads
  bool padded_experts = false;  // their kernels widen the matrices
};
WeightFormats weight_formats(const ModelSpec& model, const Shape& shape, std::string_view flag);

// What a card computes products of a format in: units that it lacks are replaced by 16-bit ones.
struct Units {
  const GemmLaw* law = nullptr;
  double peak = 0;  // operations a second
  double activation_bytes = 2;
};
Units units_of(const CardSpeed& card, const FormatLaw& format);

// Seconds of [rows x inner] by [inner x columns].
struct Product {
  double rows = 0, columns = 0, inner = 0;
};
double gemm_seconds(const CardSpeed& card, const Product& product, const WeightFormat& weights);

}  // namespace sx
