// Words → uses of flags, and what is wrong with them.
#pragma once

#include <cstddef>
#include <vector>

#include "base/version.h"
#include "engines/llamacpp/recognise.h"
#include "facts/serve_spec.h"
#include "knowledge/flags.h"

namespace sx::llamacpp {

struct Parsed {
  std::vector<FlagUse> flags;
  std::vector<FlagProblem> problems;
  std::size_t problems_left_out = 0;
};

Parsed parse(const Command& command, const Launch& launch, const EngineFlags& flags,
             const Version& version);

// The row that a word names: in full, with `_` for `-` behind two dashes; no beginnings, no
// `--flag=value`.
const FlagRow* flag_named(std::string_view word, const EngineFlags& flags);

}  // namespace sx::llamacpp
