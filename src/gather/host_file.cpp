// A machine as JSON and back.
#include "gather/host_file.h"

namespace sx {

Result<HostSpec> host_from_json(const Sources&, int) {
  return fail(Error::Kind::Unsupported, "machine files cannot be read yet");
}

}  // namespace sx
