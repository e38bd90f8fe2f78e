// The readers behind read_yaml_text, one a kind of manifest.
#pragma once

#include <vector>

#include "base/result.h"
#include "gather/command_text.h"
#include "gather/outside.h"
#include "read/yaml.h"

namespace sx {

// `services` is a map of them: of the document, or the document itself in the first form.
Result<ReadCommands> read_compose(Sources& sources, int source, const YamlNode& document,
                                  const YamlNode& services, const Outside& outside);

Result<ReadCommands> read_kubernetes(Sources& sources, int source,
                                     const std::vector<YamlNode>& documents);

}  // namespace sx
