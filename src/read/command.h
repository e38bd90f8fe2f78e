// A command as words that remember where they stood, whatever it was read from.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"

namespace sx {

struct Word {
  std::string text;  // after quotes, continuation lines and variables are resolved
  Span span;         // where it stands, quotes included
  bool literal = true;   // the bytes in `span` are this word and nothing else, so an edit may replace them
  bool complete = true;  // false: holds something that cannot be known here ("$TP" that is set nowhere)
};

// NAME=value that this command sees: before the command, after `env`, or exported earlier in the same script.
struct Setting {
  std::string name;
  std::string value;
  Span span;           // NAME=value as written
  bool literal = true;
  bool complete = true;
  bool prefix = true;  // stands in front of this very command
};

struct Command {
  std::vector<Word> words;            // from the engine's program on: "vllm" "serve" …; wrappers are in `before`
  std::vector<Setting> environment;   // later ones win
  std::vector<std::string> before;    // what stood in front: "exec", "nohup", "numactl" "--membind=0"
  std::vector<std::string> after;     // what stood behind: "|" "tee" "x.log", ">" "log", "&"
  int source = -1;
  Span span;                          // from its first to its last byte, assignments included
  int line = 1;                       // 1-based line of its first word
};

}  // namespace sx
