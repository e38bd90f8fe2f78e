// From what the user gave (argv, a script, a file) to the launches in it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "engines/engine.h"
#include "facts/surroundings.h"
#include "gather/outside.h"
#include "read/shell_words.h"

namespace sx {

struct CommandAsk {
  std::vector<std::string> argv;              // after `--`
  std::optional<std::string> file;            // -f FILE, "-" for standard input
  std::optional<std::string> pid;             // --pid PID: a running process
  std::optional<std::string> engine_version;  // --engine-version
  bool without_learned = false;               // --no-learned
};

struct Launch {
  Command command;
  const Engine* engine = nullptr;
  ServeSpec serve;
  Surroundings around;
};

struct GatheredCommands {
  std::vector<Launch> launches;
  std::vector<ShellNote> notes;
};

// An error when nothing can be read or nothing in it is a launch we know: says what was found
// instead.
Result<GatheredCommands> gather_commands(Sources& sources, const CommandAsk& ask,
                                         const Outside& outside);

// The launch once more, as another version of its engine understands it.
void understand_as(Launch& launch, const Version& version, Origin origin, Sources& sources,
                   const Outside& outside);

// The installed version of an engine, from the metadata of the Python environment the command would
// use (VIRTUAL_ENV, the interpreter's folder, PATH), without running Python.
std::optional<Version> installed_version(std::string_view engine, const Command& command,
                                         const Outside& outside);

}  // namespace sx
