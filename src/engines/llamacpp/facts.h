// Uses of flags and environment variables → the facts of a ServeSpec.
#pragma once

#include "facts/serve_spec.h"
#include "knowledge/flags.h"

namespace sx::llamacpp {

// `serve` has its flags, engine and version already.
void fill_facts(ServeSpec& serve, const Command& command, const EngineFlags& flags,
                const Sources& sources);

}  // namespace sx::llamacpp
