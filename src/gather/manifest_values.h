// Values as manifests and units write them: sizes, durations, counts; and facts made of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "facts/fact.h"
#include "read/placed_text.h"

namespace sx {

// Kubernetes quantities: 64Gi, 16G, 1.5Gi, 500M, 1e9, 128974848.
std::optional<Bytes> kubernetes_size(std::string_view text);
// Processors: 8, 0.5, 500m.
std::optional<double> kubernetes_cpus(std::string_view text);
// systemd's sizes: 64G and 64M are powers of 1024; `infinity` is huge.
std::optional<Bytes> systemd_size(std::string_view text);
// 30s, 1m30s, 500ms, 1h; a bare number only where `bare_seconds`, as systemd reads it. `infinity`
// is nothing.
std::optional<double> seconds_of(std::string_view text, bool bare_seconds);
// yes, true, on, 1 and their opposites, in any case.
std::optional<bool> truth_of(std::string_view text);

// What "without limit" is where a size is kept.
constexpr Bytes kUnlimited{std::int64_t{1} << 60};

// A fact from a text that may not be known, or not be what is wanted: then it says why not.
template <class T, class Parse>
Fact<T> fact_of(const PlacedText& text, Parse parse) {
  if (text.source() < 0) return {};
  if (!text.complete()) {
    return Fact<T>::unknown(
        {Text{"'{said}' is replaced by a value that is not known here", "'{said}' 的值在这里未知"},
         {{"said", text.text()}}});
  }
  const std::optional<T> value = parse(text.text());
  if (!value) {
    return Fact<T>::unknown(
        {Text{"'{said}' cannot be read", "无法理解 '{said}'"}, {{"said", text.text()}}});
  }
  return Fact<T>(*value, Origin::Config, text.span());
}

Fact<std::string> text_fact(const PlacedText& text);
Fact<int> count_fact(const PlacedText& text);
Fact<bool> truth_fact(const PlacedText& text);

// What a manager takes where nothing is said (data/constants.tsv).
Fact<double> default_number(std::string_view name);
Fact<int> default_count(std::string_view name);
Fact<Bytes> default_shared_memory();  // of a container

// "v0.8.5" of an image's name; unknown without a tag, or with a digest that pins something else.
Fact<std::string> tag_of(const PlacedText& image);

}  // namespace sx
