// What stays the same of a finding while its numbers change.
#pragma once

#include <string>

#include "diag/diagnostic.h"

namespace sx {

// "SX2103:--tensor-parallel-size"; with several launches in one input also which one, counted from
// 0: "…#1".
std::string fingerprint(const Diagnostic& diagnostic, bool several_launches = false);

}  // namespace sx
