// A list is short; it is walked from its end.
#include "read/settings.h"

#include <algorithm>

namespace sx {

const Setting* last_setting(std::span<const Setting> environment, std::string_view name) {
  const auto found = std::find_if(environment.rbegin(), environment.rend(),
                                  [name](const Setting& setting) { return setting.name == name; });
  return found == environment.rend() ? nullptr : &*found;
}

}  // namespace sx
