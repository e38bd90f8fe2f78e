// A container or a unit as its manifest describes it, on the way to the commands it runs.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"
#include "facts/surroundings.h"
#include "read/placed_text.h"
#include "read/shell_words.h"

namespace sx {

struct Container {
  Surroundings around;
  PlacedText image;
  bool has_entrypoint = false;  // its own; without one the image's counts
  std::vector<PlacedWord> entrypoint, args;
  bool quoted = false;  // words stand inside a scalar that cannot take every new text
  std::vector<Setting> environment;
  // Where another setting of the environment may be written.
  std::size_t environment_at = 0;
  NewSetting new_setting = {.kind = NewSetting::Kind::Nowhere};
  int source = -1;
};

struct ContainerCommands {
  std::vector<Command> commands;
  std::vector<ShellNote> notes;
};

// What it runs: the image's entrypoint in front where the manifest has none, wrappers taken off,
// shell text (`sh -c`) read with the environment known to it.
ContainerCommands commands_of(const Sources& sources, Container container);

}  // namespace sx
