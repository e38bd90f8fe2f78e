// What the checker says of a launch that is to be offered, and the first rule that one which is not
// breaks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/rule.h"
#include "facts/case.h"
#include "fit/budget.h"

namespace sx {

// The first error, by its rule.
struct Broken {
  std::string code, name;
  Message why;
  Message nearest_fix;  // what the checker proposes first; empty: nothing stood
};

struct Judgement {
  std::vector<Diagnostic> findings;  // warnings and advice
  std::optional<Broken> error;
};

// All rules.
Judgement judged(const Case& launch);

// Only the rules of one family ("SX2"), for launches that are out already: why.
std::optional<Broken> first_broken(const Case& launch, std::string_view family);

// The rule of that name alone.
std::optional<Broken> broken_by(const Case& launch, std::string_view rule);

// What the rules about memory say of a launch whose budget is known already; empty: they call it no
// error.
std::optional<Broken> broken_memory(const Case& launch, const Budget& budget);

}  // namespace sx
