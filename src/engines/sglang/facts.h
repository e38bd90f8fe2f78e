// Uses of flags and environment variables → the facts of a ServeSpec.
#pragma once

#include "engines/argparse/parse.h"
#include "engines/argparse/reading.h"
#include "facts/serve_spec.h"

namespace sx::sglang {

// `serve` has its flags, engine and version already.
void fill_facts(ServeSpec& serve, const Command& command, const argparse::Parsed& parsed,
                const argparse::Dialect& dialect, const Sources& sources);

// The part of it that says over how many ranks the model is laid.
void fill_layout(ServeSpec& serve, const argparse::Reading& read);

}  // namespace sx::sglang
