// Each manager has its own units; none of them is guessed at: what is not one of its forms is not
// known.
#include "gather/manifest_values.h"

#include <array>
#include <cmath>

#include "base/strings.h"
#include "knowledge/constants.h"
#include "knowledge/images.h"

namespace sx {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kKi = 1024, kMi = kKi * 1024, kGi = kMi * 1024, kTi = kGi * 1024, kPi = kTi * 1024;
constexpr double kMostBytes = 9.0e18;

std::size_t number_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && ((text[at] >= '0' && text[at] <= '9') || text[at] == '.')) ++at;
  return at;
}

template <std::size_t N>
std::optional<double> factor_of(std::string_view name, const std::array<Unit, N>& units) {
  for (const Unit& unit : units) {
    if (unit.name == name) return unit.factor;
  }
  return {};
}

std::optional<Bytes> bytes_of(std::optional<double> count, std::optional<double> factor) {
  if (!count || !factor) return {};
  const double bytes = *count * *factor;
  if (!(bytes >= 0) || bytes > kMostBytes) return {};
  return Bytes{static_cast<std::int64_t>(std::llround(bytes))};
}

}  // namespace

std::optional<Bytes> kubernetes_size(std::string_view text) {
  constexpr std::array kUnits{Unit{"", 1},     Unit{"Ki", kKi}, Unit{"Mi", kMi}, Unit{"Gi", kGi},
                              Unit{"Ti", kTi}, Unit{"Pi", kPi}, Unit{"k", 1e3},  Unit{"M", 1e6},
                              Unit{"G", 1e9},  Unit{"T", 1e12}, Unit{"P", 1e15}, Unit{"m", 1e-3},
                              Unit{"e3", 1e3}, Unit{"e6", 1e6}, Unit{"e9", 1e9}, Unit{"e12", 1e12}};
  text = trimmed(text);
  const std::size_t length = number_length(text);
  return bytes_of(to_number(text.substr(0, length)), factor_of(text.substr(length), kUnits));
}

std::optional<double> kubernetes_cpus(std::string_view text) {
  text = trimmed(text);
  const bool milli = text.ends_with('m');
  if (milli) text.remove_suffix(1);
  const auto number = to_number(text);
  if (!number || *number < 0) return {};
  return milli ? *number / 1000 : *number;
}

std::optional<Bytes> systemd_size(std::string_view text) {
  constexpr std::array kUnits{Unit{"", 1},    Unit{"B", 1},   Unit{"K", kKi},
                              Unit{"M", kMi}, Unit{"G", kGi}, Unit{"T", kTi}};
  text = trimmed(text);
  if (text == "infinity" || text == "unlimited") return kUnlimited;
  const std::size_t length = number_length(text);
  return bytes_of(to_number(text.substr(0, length)),
                  factor_of(trimmed(text.substr(length)), kUnits));
}

std::optional<double> seconds_of(std::string_view text, bool bare_seconds) {
  constexpr std::array kUnits{
      Unit{"us", 1e-6},   Unit{"ms", 1e-3},    Unit{"msec", 1e-3},  Unit{"s", 1},
      Unit{"sec", 1},     Unit{"second", 1},   Unit{"seconds", 1},  Unit{"m", 60},
      Unit{"min", 60},    Unit{"minute", 60},  Unit{"minutes", 60}, Unit{"h", 3600},
      Unit{"hr", 3600},   Unit{"hour", 3600},  Unit{"hours", 3600}, Unit{"d", 86400},
      Unit{"day", 86400}, Unit{"days", 86400}, Unit{"w", 604800}};
  text = trimmed(text);
  if (text.empty()) return {};
  double total = 0;
  while (!text.empty()) {
    const std::size_t length = number_length(text);
    const auto number = to_number(text.substr(0, length));
    if (!number) return {};
    text = trimmed(text.substr(length));
    const std::size_t unit_length = std::min(text.find_first_of("0123456789. "), text.size());
    const std::string_view unit = text.substr(0, unit_length);
    const auto factor = unit.empty() && bare_seconds ? std::optional(1.0) : factor_of(unit, kUnits);
    if (!factor) return {};
    total += *number * *factor;
    text = trimmed(text.substr(unit_length));
  }
  return total;
}

std::optional<bool> truth_of(std::string_view text) {
  const std::string small = lower(trimmed(text));
  if (small == "yes" || small == "true" || small == "on" || small == "1" || small == "y")
    return true;
  if (small == "no" || small == "false" || small == "off" || small == "0" || small == "n")
    return false;
  return {};
}

Fact<std::string> text_fact(const PlacedText& text) {
  return fact_of<std::string>(text, [](const std::string& value) { return std::optional(value); });
}

Fact<int> count_fact(const PlacedText& text) {
  constexpr long long kMost = 1'000'000'000;
  return fact_of<int>(text, [](const std::string& value) -> std::optional<int> {
    const auto number = to_integer(trimmed(value));
    if (!number || *number < 0 || *number > kMost) return {};
    return static_cast<int>(*number);
  });
}

Fact<bool> truth_fact(const PlacedText& text) {
  return fact_of<bool>(text, [](const std::string& value) { return truth_of(value); });
}

Fact<double> default_number(std::string_view name) {
  const auto row = constant("", name, {});
  return row ? Fact<double>(row->value, Origin::Default) : Fact<double>();
}

Fact<int> default_count(std::string_view name) {
  const auto row = constant("", name, {});
  return row ? Fact<int>(static_cast<int>(row->value), Origin::Default) : Fact<int>();
}

Fact<Bytes> default_shared_memory() {
  const auto row = constant("", "container-shared-memory", {});
  if (!row) return {};
  return {mib(static_cast<std::int64_t>(row->value)), Origin::Default};
}

Fact<std::string> tag_of(const PlacedText& image) {
  if (image.source() < 0) return {};
  const ImageName name = image_name(image.text());
  if (name.tag.empty() || name.digest) return {};
  const std::size_t at = static_cast<std::size_t>(name.tag.data() - image.text().data());
  if (!image.complete(at, at + name.tag.size())) return {};
  return {std::string(name.tag), Origin::Config, image.span(at, at + name.tag.size())};
}

}  // namespace sx
