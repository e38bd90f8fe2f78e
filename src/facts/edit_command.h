// The user's command with some changes, as words and as edits of the user's own text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "facts/serve_spec.h"
#include "read/command.h"

namespace sx {

struct Change {
  enum class Kind {
    SetFlag,    // sets the value where the flag stands (in the user's spelling), adds it at the end
                // otherwise
    AddSwitch,  // adds a flag without a value unless it is there; takes the place of its opposite
                // (--no-x)
    RemoveFlag,      // all uses with their values
    RenameFlag,      // other name, same value
    SetEnvironment,  // in front of the command, or where it is set there
    RemoveEnvironment,
    SetModel,     // the positional or --model
    ReplaceWord,  // `name` is the index of the word as text
    RemoveWord,
    InsertWord,    // a new word directly behind the word of that index
    ReplaceFront,  // a word of Command::front, by its index
    AddOption,     // an option of what starts the container and its value, in front of the image
    MoveToFront,   // from the word of that index on `value` words become options in front of the
                   // image
    MoveInside,    // and the other way: words of the front become the last ones of the command
  };
  Kind kind;
  std::string name;
  std::string value;
};

Change set_flag(std::string name, std::string value);
Change add_switch(std::string name);
Change remove_flag(std::string name);
Change rename_flag(std::string name, std::string new_name);
Change set_environment(std::string name, std::string value);
Change remove_environment(std::string name);
Change set_model(std::string value);
Change replace_word(std::size_t index, std::string value);
Change remove_word(std::size_t index);
Change insert_word(std::size_t behind, std::string value);
Change replace_front(std::size_t index, std::string value);
Change add_option(std::string name, std::string value);
Change move_to_front(std::size_t index, std::size_t count);
Change move_inside(std::size_t index, std::size_t count);

// It may change what stands around the launch: an option of what starts the container.
bool changes_front(const Change& change);

struct EditedCommand {
  Command
      command;  // spans of changed words are kept where they stood; new words have none (source -1)
  std::vector<Edit>
      edits;  // in the order of the text; empty when a changed word is not literal (came from a
              // variable or a spliced file) or the text cannot take the change where it stands
  bool possible = true;  // false: the engine has no flag for a change; then nothing of this counts
};

// Names may be common ones (knowledge/foreign_flags.h): they become the engine's own.
// Values of repeated flags: all uses but the last are removed when a flag is set. A name may be the
// table's, a dotted one
// ("--x.a.b"), a negated one ("--no-x") or one as typed. A flag that only a spliced file has is
// added to the command, which wins over the file.
EditedCommand edit_command(const Command& command, const ServeSpec& serve,
                           std::span<const Change> changes);

}  // namespace sx
