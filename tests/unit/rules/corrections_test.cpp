// What was meant by a value that a flag cannot take: good guesses, and where guessing would be
// wrong.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "rules/command/json_corrections.h"
#include "rules/command/value_corrections.h"

namespace sx::rules {
namespace {

struct Guess {
  std::string typed;
  std::optional<std::string> meant;
};

TEST(PlainInteger, SeparatorsUnitsAndIdleDecimals) {
  const Guess guesses[] = {
      {"32,768", "32768"},
      {"1 000 000", "1000000"},
      {"1.000.000", "1000000"},
      {"32K", "32768"},
      {"32k", "32000"},
      {"1.5K", "1536"},
      {"8.0", "8"},
      {"4KiB", "4096"},
      {"2GB", "2147483648"},
      {"3,2768", {}},
      {"1.500", {}},
      {"eight", {}},
      {"", {}},
      {"K", {}},
      {"1e999k", {}},
      {"8.5", {}},
      {"99999999999999999999T", {}},
  };
  for (const auto& [typed, meant] : guesses) EXPECT_EQ(plain_integer(typed), meant) << typed;
}

TEST(PlainNumber, PercentagesAndDecimalCommas) {
  const Guess guesses[] = {{"90%", "0.90"}, {"0,9", "0.9"}, {"0,9,1", {}},
                           {"nine", {}},    {"%", {}},      {"9", {}}};
  for (const auto& [typed, meant] : guesses) EXPECT_EQ(plain_number(typed), meant) << typed;
}

TEST(PythonAsJson, QuotesWordsAndCommas) {
  const Guess guesses[] = {
      {"{'a': 'b'}", R"({"a": "b"})"},
      {"{'a': True, 'b': None}", R"({"a": true, "b": null})"},
      {R"({"a": 1,})", R"({"a": 1})"},
      {R"({"a": [1, 2, ], "b": 3})", R"({"a": [1, 2], "b": 3})"},
      {"{a: 1}", R"({"a": 1})"},
      {"{method: ngram, model: org/name-7b}", R"({"method": "ngram", "model": "org/name-7b"})"},
      {R"({'a': "it's"})", R"({"a": "it's"})"},
      {R"({'a': 'say "x"'})", {}},
      {R"({'a': 'b\n'})", {}},
      {"{'a': ", {}},
      {"{'a", {}},
      {"plain", {}},
      {"", {}},
  };
  for (const auto& [typed, meant] : guesses) EXPECT_EQ(python_as_json(typed), meant) << typed;
}

TEST(PairsAsJson, WholeNumbersOnly) {
  const Guess guesses[] = {{"image=2", R"({"image": 2})"},
                           {"image=2,video=1", R"({"image": 2, "video": 1})"},
                           {"image", {}},
                           {"image=two", {}},
                           {"", {}}};
  for (const auto& [typed, meant] : guesses) EXPECT_EQ(pairs_as_json(typed), meant) << typed;
}

}  // namespace
}  // namespace sx::rules
