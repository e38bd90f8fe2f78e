// Quantities that must not be mixed: bytes, tokens, bytes a second. A bare int is a count.
#pragma once

#include <compare>
#include <cstdint>

namespace sx {

// A whole number of one thing. Same things add; a thing scales by a count; thing / thing is a
// count.
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t count) : count_(count) {}

  constexpr std::int64_t count() const { return count_; }
  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity& operator+=(Quantity other) { return count_ += other.count_, *this; }
  constexpr Quantity& operator-=(Quantity other) { return count_ -= other.count_, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator-(Quantity a) { return Quantity{-a.count_}; }
  friend constexpr Quantity operator*(Quantity a, std::int64_t n) { return Quantity{a.count_ * n}; }
  friend constexpr Quantity operator*(std::int64_t n, Quantity a) { return a * n; }
  friend constexpr Quantity operator/(Quantity a, std::int64_t n) { return Quantity{a.count_ / n}; }
  friend constexpr std::int64_t operator/(Quantity a, Quantity b) { return a.count_ / b.count_; }

 private:
  std::int64_t count_ = 0;
};

using Bytes = Quantity<struct BytesTag>;
using Tokens = Quantity<struct TokensTag>;

constexpr Bytes kib(std::int64_t n) { return Bytes{n << 10}; }
constexpr Bytes mib(std::int64_t n) { return Bytes{n << 20}; }
constexpr Bytes gib(std::int64_t n) { return Bytes{n << 30}; }
constexpr double in_gib(Bytes b) { return static_cast<double>(b.count()) / (1024.0 * 1024 * 1024); }

// Part of a whole, rounded to the nearest byte: fraction_of(total, 0.92).
constexpr Bytes fraction_of(Bytes whole, double part) {
  return Bytes{static_cast<std::int64_t>(static_cast<double>(whole.count()) * part + 0.5)};
}

}  // namespace sx
