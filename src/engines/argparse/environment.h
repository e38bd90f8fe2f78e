// What the environment of a command says, as facts.
#pragma once

#include <string>
#include <string_view>

#include "facts/serve_spec.h"

namespace sx::argparse {

// The last assignment of NAME=value; unknown without a reason where there is none.
Fact<std::string> variable(const Command& command, std::string_view name, const Sources& sources);

// As the engine reads that variable; no where it is not set, or set to a word that is no yes.
Fact<bool> truth_variable(const Command& command, std::string_view engine, std::string_view name,
                          const Sources& sources);

// Layers of each stage as a list between commas.
Fact<PipelinePartition> partition_variable(const Command& command, std::string_view name,
                                           const Sources& sources);

}  // namespace sx::argparse
