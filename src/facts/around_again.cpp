// Only docker lines can change around the launch; manifests are edited by hand.
#include "facts/around_again.h"

#include "facts/container_line.h"
#include "facts/container_surroundings.h"
#include "facts/seen_host.h"

namespace sx {

void look_around_again(Case& c) {
  if (c.command.front.empty()) return;
  const auto line = container_line(c.command.front);
  if (!line) return;
  Surroundings around = surroundings_of(*line, c.command.front);
  // Folders of the host were followed with the user's home when the command was gathered.
  if (around.mounts.size() == c.around.mounts.size()) around.mounts = c.around.mounts;
  c.around = std::move(around);
  c.own_host = std::make_shared<const HostSpec>(seen_host(c.machine(), c.around));
  c.host_spec = c.own_host.get();
}

}  // namespace sx
