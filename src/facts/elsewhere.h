// Programs in front of a launch that take it away from this machine's folders.
#pragma once

#include <span>
#include <string>

namespace sx {

// Whether the words in front of a launch lead to another machine or into a container.
bool leads_elsewhere(std::span<const std::string> before);

}  // namespace sx
