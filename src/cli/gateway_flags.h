// What `gateway` and `route` have in common: backends, other names, waits.
#pragma once

#include <vector>

#include "cli/arguments.h"
#include "gateway/front.h"
#include "gather/outside.h"
#include "sys/environment.h"

namespace sx {

std::vector<FlagSpec> front_flags();    // their rows of the table
std::vector<FlagSpec> outward_flags();  // of `gateway` alone: TLS and traces

// What the flags say of TLS and of traces. Usage: they cannot be used.
Result<void> take_tls_and_traces(const Arguments& arguments, const Environment& environment,
                                 FrontAsk& ask);

// The keys that engines ask for: of each backend's own file or variable, else of
// SEXTANT_BACKEND_KEY. What is to be said of files that can be used goes to `ask.trouble`, where it
// is there. Usage: what holds no key.
Result<void> take_backend_keys(const Outside& outside, FrontAsk& ask);

// Only what those flags say. Usage: what one of them takes.
Result<FrontAsk> front_ask(const Arguments& arguments);

}  // namespace sx
