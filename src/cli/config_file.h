// Which deployment file `config` reads: the one that is named, that of a deployment, or the one
// here.
#pragma once

#include <optional>
#include <string>

#include "cli/commands.h"

namespace sx {

struct ConfigFile {
  std::string path;
  std::optional<int> ended_with;  // exit code: there is none, and it has been said
};
ConfigFile config_file(const Arguments& arguments, Session& session, Language language);

}  // namespace sx
