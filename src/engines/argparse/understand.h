// A command as a ServeSpec: read its words as the engine's parser does, then say what they mean.
#pragma once

#include <optional>
#include <string_view>

#include "engines/argparse/parse.h"

namespace sx::argparse {

// `serve` has its flags, engine and version already.
using FillFacts = void (*)(ServeSpec& serve, const Command& command, const Parsed& parsed,
                           const Dialect& dialect, const Sources& sources);

// Engine::understand of an engine with tables; no engine in the answer without a launch.
struct Understanding {
  std::string_view engine;
  std::optional<Launch> launch;
  FillFacts fill = nullptr;
};
ServeSpec understand(const Understanding& how, const Command& command, const Version& version,
                     const Sources& sources, const SplicedFile& spliced);

}  // namespace sx::argparse
