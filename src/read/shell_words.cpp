// Shell texts → commands with places.
#include "read/shell_words.h"

namespace sx {

Result<ShellText> parse_shell(const Sources&, int) {
  return fail(Error::Kind::Unsupported, "shell scripts are not read yet");
}

}  // namespace sx
