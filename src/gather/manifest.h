// Launches that are written into a manifest or a unit: each command with what stands around it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/source.h"
#include "gather/command_text.h"
#include "gather/outside.h"

namespace sx {

// A compose file or Kubernetes manifests. Files that the text names and that lie beside it (.env,
// env_file, extends) are read and become sources. Refused by name: Helm templates and values, and
// YAML that is neither.
Result<ReadCommands> read_yaml_text(Sources& sources, int source, const Outside& outside);

// A systemd unit or a Podman quadlet (.container).
Result<ReadCommands> read_unit_text(Sources& sources, int source, const Outside& outside);

// Path of a file that a manifest names: relative to the manifest's folder.
std::string beside(const Source& manifest, std::string_view path, const Outside& outside);

}  // namespace sx
