// Words → uses of flags, and what is wrong with them.
#pragma once

#include <optional>
#include <vector>

#include "engines/vllm/line.h"
#include "engines/vllm/recognise.h"
#include "engines/vllm/spelling.h"

namespace sx::vllm {

struct Parsed {
  std::vector<FlagUse> flags;
  std::vector<FlagProblem> problems;
  std::size_t problems_left_out = 0;
  std::optional<Piece> model;  // where it stands, as a word of its own or behind --model
};

Parsed parse(Line line, Entry entry, const Dialect& dialect);

}  // namespace sx::vllm
