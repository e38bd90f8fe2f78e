// Each dialect is a table of units; the walk over the text is the same for all.
#include "read/amounts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include "base/strings.h"

namespace sx {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kKi = 1024, kMi = kKi * 1024, kGi = kMi * 1024, kTi = kGi * 1024, kPi = kTi * 1024;
constexpr double kMostBytes = 1e18;  // beyond any machine; sums of several still fit 64 bits
constexpr double kMostSeconds = 1e12;

constexpr std::array kBinaryUnits{Unit{"k", kKi}, Unit{"m", kMi}, Unit{"g", kGi}, Unit{"t", kTi},
                                  Unit{"p", kPi}};
constexpr std::array kKubernetesUnits{
    Unit{"", 1},     Unit{"Ki", kKi}, Unit{"Mi", kMi}, Unit{"Gi", kGi},
    Unit{"Ti", kTi}, Unit{"Pi", kPi}, Unit{"k", 1e3},  Unit{"M", 1e6},
    Unit{"G", 1e9},  Unit{"T", 1e12}, Unit{"P", 1e15}, Unit{"m", 1e-3},
    Unit{"e3", 1e3}, Unit{"e6", 1e6}, Unit{"e9", 1e9}, Unit{"e12", 1e12}};
constexpr std::array kSystemdUnits{Unit{"", 1},    Unit{"B", 1},   Unit{"K", kKi},
                                   Unit{"M", kMi}, Unit{"G", kGi}, Unit{"T", kTi}};
constexpr std::array kGoSeconds{Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"µs", 1e-6},
                                Unit{"ms", 1e-3}, Unit{"s", 1},     Unit{"m", 60},
                                Unit{"h", 3600}};
constexpr std::array kSystemdSeconds{
    Unit{"", 1},          Unit{"us", 1e-6},     Unit{"ms", 1e-3},    Unit{"msec", 1e-3},
    Unit{"s", 1},         Unit{"sec", 1},       Unit{"second", 1},   Unit{"seconds", 1},
    Unit{"m", 60},        Unit{"min", 60},      Unit{"minute", 60},  Unit{"minutes", 60},
    Unit{"h", 3600},      Unit{"hr", 3600},     Unit{"hour", 3600},  Unit{"hours", 3600},
    Unit{"d", 86400},     Unit{"day", 86400},   Unit{"days", 86400}, Unit{"w", 604800},
    Unit{"week", 604800}, Unit{"weeks", 604800}};
constexpr std::array kShellSeconds{Unit{"", 1}, Unit{"s", 1}, Unit{"m", 60}, Unit{"h", 3600},
                                   Unit{"d", 86400}};

std::optional<double> factor_of(std::string_view name, std::span<const Unit> units) {
  const auto unit = std::ranges::find(units, name, &Unit::name);
  return unit == units.end() ? std::nullopt : std::optional(unit->factor);
}

std::size_t number_length(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789."), text.size());
}

std::optional<Bytes> bytes_of(double number, std::optional<double> factor) {
  if (!factor) return {};
  const double bytes = number * *factor;
  if (!(bytes <= kMostBytes)) return {};
  return Bytes{static_cast<std::int64_t>(std::llround(bytes))};
}

std::optional<Bytes> size_in(std::string_view text, std::span<const Unit> units) {
  const auto amount = amount_of(text);
  return amount ? bytes_of(amount->number, factor_of(amount->unit, units)) : std::nullopt;
}

// Several amounts after one another are their sum.
std::optional<double> duration_in(std::string_view text, std::span<const Unit> units) {
  if (text.empty()) return {};
  double total = 0;
  while (!text.empty()) {
    const std::size_t length = number_length(text);
    const auto number = to_number(text.substr(0, length));
    if (!number) return {};
    text.remove_prefix(length);
    text = trimmed(text);
    const std::size_t unit_length = std::min(text.find_first_of("0123456789. "), text.size());
    const auto factor = factor_of(text.substr(0, unit_length), units);
    if (!factor) return {};
    total += *number * *factor;
    text = trimmed(text.substr(unit_length));
  }
  return total <= kMostSeconds ? std::optional(total) : std::nullopt;
}

}  // namespace

std::optional<Amount> amount_of(std::string_view text) {
  text = trimmed(text);
  const std::size_t length = number_length(text);
  const auto number = to_number(text.substr(0, length));
  if (!number) return {};
  return Amount{*number, trimmed(text.substr(length))};
}

std::optional<double> binary_factor(std::string_view unit) {
  std::string plain = lower(unit);
  if (plain.ends_with('b')) plain.pop_back();
  if (plain.ends_with('i')) plain.pop_back();
  return plain.empty() ? std::optional(1.0) : factor_of(plain, kBinaryUnits);
}

std::optional<Bytes> container_size(std::string_view text) {
  const auto amount = amount_of(text);
  return amount ? bytes_of(amount->number, binary_factor(amount->unit)) : std::nullopt;
}

std::optional<Bytes> kubernetes_size(std::string_view text) {
  return size_in(text, kKubernetesUnits);
}

std::optional<Bytes> systemd_size(std::string_view text) {
  const std::string_view word = trimmed(text);
  if (word == "infinity" || word == "unlimited") return kUnlimited;
  return size_in(text, kSystemdUnits);
}

std::optional<double> kubernetes_cpus(std::string_view text) {
  text = trimmed(text);
  const bool milli = text.ends_with('m');
  if (milli) text.remove_suffix(1);
  const auto number = to_number(text);
  if (!number || !(*number >= 0)) return {};
  return milli ? *number / 1000 : *number;
}

std::optional<double> container_duration_s(std::string_view text) {
  if (text == "0") return 0.0;
  if (text.contains(' ')) return {};
  return duration_in(text, kGoSeconds);
}

std::optional<double> systemd_duration_s(std::string_view text) {
  return duration_in(trimmed(text), kSystemdSeconds);
}

std::optional<double> shell_duration_s(std::string_view text) {
  if (text.contains(' ')) return {};
  const auto amount = amount_of(text);
  const auto factor = amount ? factor_of(amount->unit, kShellSeconds) : std::nullopt;
  if (!factor) return {};
  const double seconds = amount->number * *factor;
  return seconds <= kMostSeconds ? std::optional(seconds) : std::nullopt;
}

}  // namespace sx
