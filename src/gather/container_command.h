// From the words of a container (a docker line's, a manifest's) to the commands that run in it.
#pragma once

#include <optional>
#include <vector>

#include "base/source.h"
#include "gather/placed_command.h"
#include "read/shell_words.h"

namespace sx {

struct ContainerWords {
  std::optional<std::vector<Word>> entrypoint;  // said in the text; empty: the image's own counts
  std::vector<Word> arguments;
};

// `base` is the command without its words: source, line, span, environment, where and how another
// setting is written, and for a docker line what stands in front. Words of the image's own
// entrypoint stand in no text. An `sh -c` among the words is read as shell, so there may be several
// commands.
std::vector<PlacedCommand> commands_in_container(const Sources& sources, Command base,
                                                 ContainerWords words, const Surroundings& around,
                                                 std::vector<ShellNote>& notes);

// A command as it was read: when it starts a container, or goes into one, the commands inside.
std::vector<PlacedCommand> placed_commands(const Sources& sources, Command command,
                                           std::vector<ShellNote>& notes);

}  // namespace sx
