// The last setting of a name counts, as in a shell.
#include "check/launch_variables.h"

#include "read/settings.h"

namespace sx {

std::optional<LaunchVariable> launch_variable(const Case& c, std::string_view name) {
  if (const Setting* setting = last_setting(c.command.environment, name)) {
    if (!setting->complete) return {};
    return LaunchVariable{setting->name, setting->value, setting->span};
  }
  // A unit is given nothing of the shell that starts it.
  if (c.around.contained() || c.around.kind == Surroundings::Kind::Systemd) return {};
  for (const auto& [key, value] : c.host().environment) {
    if (key == name) return LaunchVariable{key, value, {}};
  }
  return {};
}

}  // namespace sx
