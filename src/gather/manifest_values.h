// Facts made of what manifests and units write.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "facts/fact.h"
#include "read/amounts.h"
#include "read/placed_text.h"

namespace sx {

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
