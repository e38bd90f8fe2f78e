// Plain scalars by YAML 1.1, as PyYAML's resolver reads them. Used by yaml.cpp alone.
#pragma once

#include <optional>
#include <string_view>

#include "read/yaml.h"

namespace sx {

YamlNode::Type yaml_type(std::string_view plain);

// Of texts whose type says so.
std::optional<long long> yaml_integer(std::string_view text);
std::optional<double> yaml_number(std::string_view text);
bool yaml_truth(std::string_view text);

}  // namespace sx
