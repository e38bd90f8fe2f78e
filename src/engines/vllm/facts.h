// Uses of flags and environment variables → the facts of a ServeSpec.
#pragma once

#include "engines/argparse/parse.h"
#include "facts/serve_spec.h"

namespace sx::vllm {

// `serve` has its flags, engine and version already.
void fill_facts(ServeSpec& serve, const Command& command, const argparse::Parsed& parsed,
                const argparse::Dialect& dialect, const Sources& sources);

}  // namespace sx::vllm
