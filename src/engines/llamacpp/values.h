// Values as llama.cpp reads them: C++'s stoi and stof, which drop what stands behind the number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/serve_spec.h"
#include "knowledge/flags.h"

namespace sx::llamacpp {

// The number at the front of a text: "512abc" is 512. `rest` is what was dropped.
struct Integer {
  std::int64_t value = 0;
  std::string_view rest;
};
std::optional<Integer> front_integer(std::string_view text);
struct Number {
  double value = 0;
  std::string_view rest;
};
std::optional<Number> front_number(std::string_view text);

// "3,1" or "3/1": shares of the devices; nothing when one of them is no number.
std::optional<std::vector<double>> shares_of(std::string_view text);

// What the parser has against a value; nothing for what it takes, even when the launch fails later.
struct ValueFault {
  FlagProblem::Kind kind = FlagProblem::Kind::WrongType;
  Both expected;
};
std::optional<ValueFault> value_fault(const FlagRow& row, std::string_view text,
                                      const Version& version);
// What the flag wants, for a use without a value.
Both wanted(const FlagRow& row);

}  // namespace sx::llamacpp
