// A vLLM command as a ServeSpec.
#include "engines/argparse/understand.h"

#include "engines/vllm/facts.h"
#include "engines/vllm/recognise.h"
#include "engines/vllm/vllm.h"

namespace sx::vllm {

ServeSpec understand(const Command& command, const Version& version, const Sources& sources,
                     const SplicedFile& spliced) {
  const argparse::Understanding how{
      .engine = "vllm", .launch = find_launch(command.words), .fill = fill_facts};
  return argparse::understand(how, command, version, sources, spliced);
}

}  // namespace sx::vllm
