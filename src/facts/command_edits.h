// What became of each word of a command, and the edits of its text that say the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "read/command.h"

namespace sx {

struct ChangedWord {
  Word word;
  std::optional<std::size_t> original;  // index in the command it came from; empty: a new word
  bool removed = false;
  bool replaced = false;
};

struct ChangedSetting {
  Setting setting;
  bool added = false;
  bool removed = false;
  bool replaced = false;
};

struct ChangedCommand {
  const Command* original = nullptr;
  std::vector<ChangedWord> words;  // in the order of the new command, removed ones included
  std::vector<ChangedWord> front;  // of Command::front, in the same way
  std::vector<ChangedSetting> settings;
  bool elsewhere = false;  // something to change stands outside the command's own text
};

ChangedWord new_word(std::string text);

Command command_after(const ChangedCommand& changed);

// Empty when the text cannot be edited in place to say the same.
std::vector<Edit> edits_of(const ChangedCommand& changed);

}  // namespace sx
