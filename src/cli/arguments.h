// What was typed after `sextant`, read from the one table of commands and flags.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/output.h"
#include "diag/message.h"

namespace sx {

// One flag of the table: help, parser, man page and completions come from here.
struct FlagSpec {
  std::string_view name;        // "--on"
  std::string_view short_name;  // "-f"; empty: none
  std::string_view value;       // "MACHINE"; empty: a switch
  Text help;
  std::string_view choices = {};  // "text|json"; empty: anything
  bool repeats = false;           // every value counts
};

struct CommandSpec {
  std::string_view name;   // "check"
  std::string_view usage;  // "[options] -- COMMAND…"
  Text help;               // one line
  Text detail;             // a paragraph for `sextant check --help`; may be empty
  std::vector<FlagSpec> flags;
  bool takes_command = false;  // words after `--` are a launch
  int most_words = 0;          // positional words; -1: any number
  // What the first of them is: "add|list|revoke", "REPLICA", "COMMAND"; empty: anything, a file.
  std::string_view first_word = {};
};

// "add|list|revoke" in its words; of a row without choices none.
std::vector<std::string_view> choices_of_word(const CommandSpec& command);

const std::vector<CommandSpec>& command_table();
const std::vector<FlagSpec>& common_flags();
const CommandSpec* find_command(std::string_view name);

// Flags by name as typed; a repeated flag keeps its last value unless its row says that all count.
struct Arguments {
  const CommandSpec* command = nullptr;  // null: none was named
  bool help = false;
  bool version = false;
  std::vector<std::pair<std::string_view, std::string>>
      flags;                        // name of the table, value ("" for switches)
  std::vector<std::string> words;   // positional
  std::vector<std::string> launch;  // after `--`
  bool has_launch = false;          // `--` was there

  std::optional<std::string> value(std::string_view flag) const;
  std::vector<std::string> values(std::string_view flag) const;  // of a flag that repeats
  bool has(std::string_view flag) const;
  std::optional<Language> language() const;
  ColourChoice colour() const;
};

// An error of kind Usage says what is wrong with the nearest right spelling.
Result<Arguments> parse_arguments(const std::vector<std::string>& argv);

// Within `width` columns, where that is less than a page of text.
std::string help_text(Language language, std::size_t width);
std::string help_text(const CommandSpec& command, Language language, std::size_t width);

}  // namespace sx
