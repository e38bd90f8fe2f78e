// The same steps for every engine whose parser is argparse.
#include "engines/argparse/understand.h"

#include <utility>

namespace sx::argparse {

ServeSpec understand(const Understanding& how, const Command& command, const Version& version,
                     const Sources& sources, const SplicedFile& spliced) {
  ServeSpec serve;
  const EngineFlags* flags = engine_flags(how.engine);
  SX_ASSERT(flags != nullptr);
  serve.version = version;
  if (!how.launch) return serve;

  serve.engine = std::string(how.engine);
  serve.flags_checked = !(version < flags->oldest());
  const Dialect dialect(*flags, version);
  const Line line = make_line(command, *how.launch, dialect, sources, spliced);
  Parsed parsed = parse(line, how.launch->entry, dialect);
  serve.flags = std::move(parsed.flags);
  // Nothing is known against a line that is older than every version read.
  if (serve.flags_checked) {
    serve.problems = std::move(parsed.problems);
    serve.problems_left_out = parsed.problems_left_out;
  }
  how.fill(serve, command, parsed, dialect, sources);
  return serve;
}

}  // namespace sx::argparse
