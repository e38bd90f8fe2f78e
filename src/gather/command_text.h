// From argv, a file, standard input or a process to the commands written there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "gather/container_command.h"
#include "gather/gather_command.h"

namespace sx {

struct ReadCommands {
  std::vector<PlacedCommand> commands;
  std::vector<ShellNote> notes;
  std::string name;  // "serve.sh", "standard input"; empty: the command line
};

Result<ReadCommands> read_commands(Sources& sources, const CommandAsk& ask, const Outside& outside);

// One kind of text each; the source has been added already.
Result<ReadCommands> read_shell_text(const Sources& sources, int source);
Result<ReadCommands> read_json_text(const Sources& sources, int source);
Result<ReadCommands> read_process_list(const Sources& sources, int source);
// The command of a running process, or of those it started.
Result<ReadCommands> read_process(Sources& sources, int pid, const Outside& outside);

// A user's path as the file system is asked for it.
std::string path_in(const std::string& folder, std::string_view path);

// A short word of hostile text that may be shown on one line.
std::string valid_utf8_front(std::string_view text);

}  // namespace sx
