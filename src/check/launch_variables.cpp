// The last setting of a name counts, as in a shell.
#include "check/launch_variables.h"

#include <algorithm>

namespace sx {

std::optional<LaunchVariable> launch_variable(const Case& c, std::string_view name) {
  const auto& own = c.command.environment;
  const auto setting = std::find_if(own.rbegin(), own.rend(),
                                    [name](const Setting& one) { return one.name == name; });
  if (setting != own.rend()) {
    if (!setting->complete) return {};
    return LaunchVariable{setting->name, setting->value, setting->span};
  }
  if (c.around.contained()) return {};
  for (const auto& [key, value] : c.host().environment) {
    if (key == name) return LaunchVariable{key, value, {}};
  }
  return {};
}

}  // namespace sx
