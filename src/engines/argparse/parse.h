// Words → uses of flags, and what is wrong with them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engines/argparse/launch.h"
#include "engines/argparse/line.h"
#include "engines/argparse/spelling.h"

namespace sx::argparse {

// A word that belongs to no flag.
struct Argument {
  std::size_t piece = 0;         // in Line::pieces
  std::size_t flags_before = 0;  // in Parsed::flags
};

struct Parsed {
  std::vector<FlagUse> flags;
  std::vector<FlagProblem> problems;
  std::size_t problems_left_out = 0;
  std::vector<Argument> arguments;
  std::optional<Piece> model;  // where it stands, as a word of its own or behind a flag
};

// Past a limit they are only counted.
void add_problem(Parsed& parsed, FlagProblem problem);

Parsed parse(const Line& line, Entry entry, const Dialect& dialect);

}  // namespace sx::argparse
