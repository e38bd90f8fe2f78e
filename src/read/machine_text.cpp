// The parts of a pasted text about a machine, put together.
#include "read/machine_text.h"

namespace sx {

Result<MachineText> parse_machine_text(const Sources&, int) {
  return fail(Error::Kind::Unsupported, "pasted machine texts cannot be read yet");
}

}  // namespace sx
