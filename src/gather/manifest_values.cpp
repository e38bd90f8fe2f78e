// What is not one of the forms that a manager takes is not known.
#include "gather/manifest_values.h"

#include "base/strings.h"
#include "knowledge/constants.h"
#include "knowledge/images.h"
#include "knowledge/truth_words.h"

namespace sx {
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
  return fact_of<bool>(text, [](const std::string& value) { return truth_as("manifest", value); });
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
