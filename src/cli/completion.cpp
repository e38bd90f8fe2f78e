// `sextant completion bash|zsh|fish`: completions made from the table of commands and flags.
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/completion_parts.h"

namespace sx {
namespace {

constexpr Text kWhich{"for which shell? completion takes one of bash, zsh, fish",
                      "哪种 shell？completion 只能取 bash、zsh、fish"};

constexpr std::string_view kNumbers =
    "sextant status --format json $NAME 2>/dev/null | grep -o '\"replica\":[0-9]*' | tr -dc "
    "'0-9\\n' | sort -un";

}  // namespace

std::vector<const FlagSpec*> flags_of(const CommandSpec* command) {
  std::vector<const FlagSpec*> flags;
  if (command != nullptr) {
    for (const FlagSpec& flag : command->flags) flags.push_back(&flag);
  }
  for (const FlagSpec& flag : common_flags()) flags.push_back(&flag);
  return flags;
}

std::vector<std::string> names_of(const FlagSpec& flag) {
  std::vector<std::string> names{std::string(flag.name)};
  if (!flag.short_name.empty()) names.emplace_back(flag.short_name);
  return names;
}

bool takes_path(const FlagSpec& flag) {
  return flag.value == "FILE" || flag.value == "DIR" || flag.value == "MACHINE";
}

std::string choices_of(const FlagSpec& flag) { return replaced(flag.choices, "|", " "); }

std::string command_names() {
  std::vector<std::string> names;
  for (const CommandSpec& command : command_table()) names.emplace_back(command.name);
  return join(names, " ");
}

std::string words_after(const CommandSpec& command) {
  if (command.first_word == "COMMAND") return command_names();
  const auto choices = choices_of_word(command);
  return join(std::vector<std::string>(choices.begin(), choices.end()), " ");
}

bool takes_replica(const CommandSpec& command) { return command.first_word == "REPLICA"; }

std::string numbers_of(std::string_view name) {
  return replaced(kNumbers, "$NAME", std::string(name));
}

std::string single_quoted(std::string_view text) {
  return "'" + replaced(text, "'", "'\\''") + "'";
}

std::vector<ValuedFlag> valued_flags() {
  std::vector<ValuedFlag> all;
  const auto add = [&](const CommandSpec* command) {
    for (const FlagSpec* flag : flags_of(command)) {
      if (flag->value.empty()) continue;
      for (const std::string& name : names_of(*flag))
        all.push_back({std::string(command == nullptr ? "" : command->name) + ':' + name, flag});
    }
  };
  add(nullptr);
  for (const CommandSpec& command : command_table()) add(&command);
  return all;
}

int completion_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  const std::string shell = arguments.words.empty() ? "" : arguments.words.front();
  if (shell == "bash") {
    session.output.answer(bash_completion());
  } else if (shell == "zsh") {
    session.output.answer(zsh_completion(language));
  } else if (shell == "fish") {
    session.output.answer(fish_completion(language));
  } else {
    session.output.trouble(trouble_line(kWhich.in(language), language));
    return kCouldNot;
  }
  return kDone;
}

}  // namespace sx
