// A part of a YAML text as one line of JSON.
#pragma once

#include <string>

#include "read/yaml.h"

namespace sx {

std::string json_of(const YamlNode& node);

}  // namespace sx
