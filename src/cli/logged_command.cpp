// What the engine wrote down is a line of its own form; those who learn from logs read it already.
#include "cli/logged_command.h"

#include "logs/launch_words.h"
#include "logs/memory_log.h"

namespace sx {

std::vector<std::string> logged_command(const RunLog& run) {
  if (run.arguments.empty()) return {};
  return launch_words(read_memory_log({run.arguments}, run.engine)).words;
}

}  // namespace sx
