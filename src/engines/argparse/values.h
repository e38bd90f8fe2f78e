// Values as the parser reads them: Python's numbers, human integers, choices, JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engines/argparse/spelling.h"
#include "facts/serve_spec.h"

namespace sx::argparse {

// Python's int(text) and float(text): blanks around, underscores between digits, inf and nan for
// float.
std::optional<std::int64_t> python_integer(std::string_view text);
std::optional<double> python_number(std::string_view text);

// 8k is 8000, 8K is 8192, 1.5m is 1500000; 1.5K is nothing.
std::optional<std::int64_t> human_integer(std::string_view text);

// The number that a flag's value means in this version; `auto` is -1 where it is taken.
std::optional<std::int64_t> integer_value(const FlagRow& row, std::string_view text,
                                          const Dialect& dialect);

// What the parser has against a value; nothing for what it takes, even when the launch fails later.
struct ValueFault {
  FlagProblem::Kind kind = FlagProblem::Kind::WrongType;
  Both expected;
};
std::optional<ValueFault> value_fault(const FlagRow& row, const std::string& text,
                                      const Dialect& dialect);

}  // namespace sx::argparse
