// From a launch as people write it to the one process that a keeper starts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gather/gather_command.h"
#include "run/deployment.h"

namespace sx {

struct EngineLaunchAsk {
  int port = 0;  // it is to listen there, on this machine alone
  std::map<std::string, std::string>
      environment;     // ours; what an engine may need of it is passed on
  std::string folder;  // where it works
  std::vector<int> gpus;
};

// An error names the word that cannot be known before a shell runs it.
Result<EngineLaunch> engine_launch(const Launch& launch, const EngineLaunchAsk& ask);

// What stands in front of the engine's program and is started with it ("numactl" "--membind=0");
// not the shell that would have read the text, nor what it would have done itself.
std::vector<std::string> words_in_front(const Command& command);
// Of an `env` whose variables are read, nothing is left to do; `env -u NAME` stays.
void drop_bare_env(std::vector<std::string>& words);

// Whether that variable of ours is passed on to an engine: what any program needs, what the engine
// or a library below it reads. Everything else stays with us.
bool passed_on(std::string_view engine, std::string_view variable);
// The latter alone: what the engine reads, a library below it, and where the web is.
bool read_by_engine(std::string_view engine, std::string_view variable);

}  // namespace sx
