// By the name of the program alone: where it leads to is its own affair.
#include "facts/elsewhere.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sx {

bool leads_elsewhere(std::span<const std::string> before) {
  static constexpr std::array<std::string_view, 11> kElsewhere{
      "docker",    "podman",      "nerdctl", "ssh",    "kubectl", "srun",
      "apptainer", "singularity", "chroot",  "mpirun", "mpiexec"};
  return std::ranges::any_of(before, [](const std::string& word) {
    const std::string_view program = std::string_view(word).substr(word.rfind('/') + 1);
    return std::ranges::find(kElsewhere, program) != kElsewhere.end();
  });
}

}  // namespace sx
