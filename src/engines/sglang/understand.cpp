// An SGLang command as a ServeSpec.
#include "engines/argparse/understand.h"

#include "engines/sglang/facts.h"
#include "engines/sglang/recognise.h"
#include "engines/sglang/sglang.h"

namespace sx::sglang {

ServeSpec understand(const Command& command, const Version& version, const Sources& sources,
                     const SplicedFile& spliced) {
  const argparse::Understanding how{
      .engine = "sglang", .launch = find_launch(command.words), .fill = fill_facts};
  return argparse::understand(how, command, version, sources, spliced);
}

}  // namespace sx::sglang
