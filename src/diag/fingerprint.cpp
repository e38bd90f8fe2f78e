// Code and place without volatile numbers.
#include "diag/fingerprint.h"

namespace sx {

std::string fingerprint(const Diagnostic& diagnostic, bool several_launches) {
  std::string out(diagnostic.code);
  if (!diagnostic.subject.empty()) out.append(":").append(diagnostic.subject);
  if (several_launches) out.append("#").append(std::to_string(diagnostic.launch));
  return out;
}

}  // namespace sx
