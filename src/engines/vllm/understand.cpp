// A command as a ServeSpec: find the launch, read its words, say what they mean.
#include <utility>

#include "engines/argparse/line.h"
#include "engines/argparse/parse.h"
#include "engines/vllm/facts.h"
#include "engines/vllm/recognise.h"
#include "engines/vllm/vllm.h"

namespace sx::vllm {

ServeSpec understand(const Command& command, const Version& version, const Sources& sources,
                     const SplicedFile& spliced) {
  ServeSpec serve;
  const EngineFlags* flags = engine_flags("vllm");
  SX_ASSERT(flags != nullptr);
  serve.version = version;
  const auto launch = find_launch(command.words);
  if (!launch) return serve;  // no engine

  serve.engine = "vllm";
  serve.flags_checked = !(version < flags->oldest());
  const argparse::Dialect dialect(*flags, version);
  argparse::Parsed parsed = argparse::parse(
      argparse::make_line(command, *launch, dialect, sources, spliced), launch->entry, dialect);
  serve.flags = std::move(parsed.flags);
  // Nothing is known against a line that is older than every version read.
  if (serve.flags_checked) {
    serve.problems = std::move(parsed.problems);
    serve.problems_left_out = parsed.problems_left_out;
  }
  fill_facts(serve, command, parsed, dialect, sources);
  return serve;
}

}  // namespace sx::vllm
