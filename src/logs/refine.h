// What a line means in its place: the same words are another cause in another phase, in another
// traceback, beside another setting.
#pragma once

#include "logs/run_log.h"

namespace sx {

struct Reading {
  std::string_view cause;  // empty: none
  Certainty certainty = Certainty::Likely;
  std::vector<std::string_view> because;  // marks that decided
  std::string_view at;                    // the mark whose line says it; empty: the line itself
};

// The rows of data/causes/refinements.tsv, first to last, again from the cause that came out.
Reading read_in_place(const LogEvent& event, const RunLog& run);

}  // namespace sx
