// A command as words that remember where they stood, whatever it was read from.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"

namespace sx {

struct Word {
  std::string text;  // after quotes, continuation lines and variables are resolved
  Span span;         // where it stands, quotes included
  bool literal =
      true;  // the bytes in `span` are this word and nothing else, so an edit may replace them
  bool complete =
      true;  // false: holds something that cannot be known here ("$TP" that is set nowhere)
  bool tilde = false;     // begins with an unquoted ~, which the shell replaces by the home folder
  std::size_t blank = 0;  // bytes of blanks and continuation lines directly in front of it
};

// NAME=value that this command sees: before the command, after `env`, or exported earlier in the
// same script.
struct Setting {
  std::string name;
  std::string value;
  Span span;  // NAME=value as written
  bool literal = true;
  bool complete = true;
  bool prefix = true;     // stands in front of this very command
  std::size_t blank = 0;  // bytes of blanks directly behind it
};

struct Command {
  // How its bytes relate to its words, for edits.
  enum class Text {
    Plain,         // written as it is
    InsideQuotes,  // written inside another pair of quotes: bash -c "vllm serve m"
    Derived,       // read out of a text that stands nowhere as it is: bash -c with escapes, eval
  };

  std::vector<Word>
      words;  // from the engine's program on: "vllm" "serve" …; wrappers are in `before`
  std::vector<Setting> environment;  // later ones win
  std::vector<std::string> before;  // what stood in front: "exec", "nohup", "numactl" "--membind=0"
  std::vector<std::string> after;   // what stood behind: "|" "tee" "x.log", ">" "log", "&"
  int source = -1;
  Span span;     // from its first to its last byte, assignments included
  int line = 1;  // 1-based line of its first word
  Text written = Text::Plain;
  std::size_t environment_at = 0;  // byte where another NAME=value may be put in
};

}  // namespace sx
