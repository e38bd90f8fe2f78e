// The same documents read by nlohmann-json: where both accept a text, both must mean the same by
// it.
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "read/json.h"

namespace sx {
namespace {

using Oracle = nlohmann::json;

void expect_same(JsonValue ours, const Oracle& theirs) {
  switch (ours.kind()) {
    case JsonKind::Null:
      EXPECT_TRUE(theirs.is_null()) << ours.raw();
      return;
    case JsonKind::Bool:
      EXPECT_EQ(ours.boolean(), theirs.get<bool>());
      return;
    case JsonKind::Number:
      ASSERT_TRUE(theirs.is_number()) << ours.raw();
      EXPECT_EQ(ours.number(), theirs.get<double>()) << ours.raw();
      if (theirs.is_number_unsigned() && theirs.get<std::uint64_t>() > INT64_MAX) return;
      if (theirs.is_number_integer()) {
        EXPECT_EQ(ours.integer(), theirs.get<std::int64_t>()) << ours.raw();
      }
      return;
    case JsonKind::String:
      EXPECT_EQ(ours.string(), theirs.get<std::string>());
      return;
    case JsonKind::Array: {
      ASSERT_EQ(ours.size(), theirs.size()) << ours.raw();
      std::size_t index = 0;
      for (JsonValue element = ours.first(); element; element = element.next())
        expect_same(element, theirs[index++]);
      return;
    }
    case JsonKind::Object:
      EXPECT_GE(ours.size(), theirs.size());  // keys may repeat; nlohmann keeps the last as well
      for (const auto& [key, value] : theirs.items()) expect_same(ours[key], value);
      return;
  }
}

// A document of nested values, some of it strange.
std::string some_value(std::mt19937& random, int depth) {
  const auto pick = [&](unsigned n) { return random() % n; };
  static const std::string_view kScalars[] = {"null",
                                              "true",
                                              "false",
                                              "0",
                                              "-0",
                                              "-1.5e-3",
                                              "12345678901",
                                              "1E5",
                                              "9223372036854775807",
                                              "18446744073709551616",
                                              "\"\"",
                                              "\"plain\"",
                                              R"("\u00fc\n\"")",
                                              "\"ü 中 \U0001F600\"",
                                              R"("\ud83d\ude00")",
                                              "\"a longer text with / and more of it\""};
  if (depth == 0 || pick(3) == 0) return std::string(kScalars[pick(std::size(kScalars))]);
  const bool object = pick(2) == 0;
  std::string out = object ? "{" : "[";
  const unsigned count = static_cast<unsigned>(pick(5));
  for (unsigned i = 0; i < count; ++i) {
    if (i > 0) out += pick(2) == 0 ? "," : " ,\n\t";
    if (object) out += "\"k" + std::to_string(pick(4)) + "\" : ";
    out += some_value(random, depth - 1);
  }
  return out + (object ? " }" : "\r\n]");
}

TEST(JsonOracle, MeansTheSame) {
  std::mt19937 random(20261129);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = some_value(random, 5);
    const auto ours = JsonDocument::parse(text);
    ASSERT_TRUE(ours) << ours.error().what << "\n" << text;
    expect_same(ours->root(), Oracle::parse(text));
    if (HasFailure()) FAIL() << text;
  }
}

// A text damaged by one byte: what nlohmann takes we take, and with the same meaning.
TEST(JsonOracle, TakesWhatTheOracleTakes) {
  std::mt19937 random(42);
  constexpr std::string_view kBytes = "{}[]\",:0-9eE.\\u nt/\x01\x80\xC3";
  int both = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = some_value(random, 3);
    text[random() % text.size()] = kBytes[random() % kBytes.size()];
    const auto ours = JsonDocument::parse(text);
    const Oracle theirs = Oracle::parse(text, nullptr, false);
    if (theirs.is_discarded()) continue;
    ++both;
    ASSERT_TRUE(ours) << ours.error().what << "\n" << text;
    expect_same(ours->root(), theirs);
    if (HasFailure()) FAIL() << text;
  }
  EXPECT_GT(both, 400);
}

}  // namespace
}  // namespace sx
