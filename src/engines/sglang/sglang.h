// SGLang as an engine: its command line and its memory. README.md says how the files here belong
// together.
#pragma once

#include "engines/engine.h"

namespace sx::sglang {

extern const Engine engine;

// Engine::understand and Engine::command_for.
ServeSpec understand(const Command& command, const Version& version, const Sources& sources,
                     const SplicedFile& spliced);
std::vector<std::string> command_for(const ServeSpec& serve);

}  // namespace sx::sglang
