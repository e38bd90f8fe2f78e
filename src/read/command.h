// A command as words that remember where they stood, whatever it was read from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/source.h"

namespace sx {

// How a text is written where it stands. Of a member the word is a flag ("--max-num-seqs=64"), and
// what stands there is its name and value ("max_num_seqs": 64).
enum class Quoting { Shell, Yaml, Json, Systemd, JsonMember, YamlMember };

struct Word {
  std::string text;  // after quotes, continuation lines and variables are resolved
  Span span;         // where it stands, quotes included
  bool literal =
      true;  // the bytes in `span` are this word and nothing else, so an edit may replace them
  bool complete =
      true;  // false: holds something that cannot be known here ("$TP" that is set nowhere)
  bool tilde = false;     // begins with an unquoted ~, which the shell replaces by the home folder
  std::size_t blank = 0;  // bytes of blanks and continuation lines directly in front of it; of an
                          // item in a list: from the end of the item before
  Quoting quoting = Quoting::Shell;
  std::string lead = {};  // of an item in a list: what another item behind it begins with
                          // ("\n      - ", ", "); empty: a word among words of one line
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
  // What `span` holds: NAME=value, or (of a map or a named item) the value alone.
  enum class Form { Assignment, ValueAlone };
  Form form = Form::Assignment;
  Quoting quoting = Quoting::Shell;
  std::optional<Span> whole = {};         // what goes when the setting goes; empty: span and blank
  std::optional<std::size_t> front = {};  // index in Command::front of the word that holds it
};

// How another setting of a command is written at Command::environment_at.
struct NewSetting {
  enum class Kind {
    Prefix,     // NAME=value in front of the command
    Option,     // -e NAME=value in front of the image
    EnvWords,   // env NAME=value in front of the command inside a container
    Map,        // NAME: "value"
    NamedItem,  // name: NAME, and on the next line value: "value"; `lead` ends with the dash
    TextItem,   // one text NAME=value
    Line,       // Environment=NAME=value, a line of its own
    Nowhere,    // the text has no place for it
  };
  Kind kind = Kind::Prefix;
  std::string lead = {};  // what goes in front of it: line end, indentation, dash; empty for words
  Quoting quoting = Quoting::Shell;
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
  std::size_t outside = 0;    // so many of `before` stand outside the text that holds this command:
                              // "bash" "-c" of bash -c "exec vllm serve"
  std::size_t assign_at = 0;  // assignments of `environment` stand behind so many of `before`: 1 in
                              // `sudo A=1 vllm serve`
  std::vector<std::string> after;  // what stood behind: "|" "tee" "x.log", ">" "log", "&"
  int source = -1;
  Span span;     // from its first to its last byte, assignments included
  int line = 1;  // 1-based line of its first word
  Text written = Text::Plain;
  std::size_t environment_at = 0;  // byte where another setting may be put in
  NewSetting new_setting = {};

  // What starts the container in which the words run: "docker" "run" … image, and the wrappers
  // inside. Fixes are printed with it. Empty: the words run as they are, or what is around them is
  // no command line (a compose file).
  std::vector<Word> front = {};
  std::size_t image_word = 0;  // index in `front` of the image or container; options end there
  std::size_t implied = 0;  // words at the beginning that do not stand behind `front`: an image's
                            // own entrypoint (empty spans), or the value of --entrypoint
  std::string text_before = {}, text_after = {};  // shell text beside the command in that one word
  bool one_word = false;  // the words are one word behind `front`: sh -c "vllm serve m"
};

}  // namespace sx
