// What the completions of all shells say: commands, flags with their values, words behind a
// command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"

namespace sx {

// Those of the command and of every command; of null those of every command alone.
std::vector<const FlagSpec*> flags_of(const CommandSpec* command);
std::vector<std::string> names_of(const FlagSpec& flag);
bool takes_path(const FlagSpec& flag);
std::string choices_of(const FlagSpec& flag);  // "text json"; empty: anything

std::string command_names();
// What may stand behind a command: its own words; of `help` commands.
std::string words_after(const CommandSpec& command);
bool takes_replica(const CommandSpec& command);
// Shell text that prints replicas of a deployment, asked of its daemon; none where none runs.
// `name`: shell text for the words that name it.
std::string numbers_of(std::string_view name);

// In single quotes, for bash and zsh.
std::string single_quoted(std::string_view text);

// A flag that takes a value, as it is found behind its command: "check:--format". Ahead of any
// command nothing stands in front of the colon.
struct ValuedFlag {
  std::string place;
  const FlagSpec* flag = nullptr;
};
std::vector<ValuedFlag> valued_flags();

std::string bash_completion();
std::string zsh_completion(Language language);
std::string fish_completion(Language language);

}  // namespace sx
