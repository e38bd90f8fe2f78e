// `sextant completion bash|zsh|fish`: completions made from the table of commands and flags.
#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "cli/commands.h"

namespace sx {
namespace {

constexpr Text kWhich{"for which shell? completion takes one of bash, zsh, fish",
                      "哪种 shell？completion 只能取 bash、zsh、fish"};

std::vector<const FlagSpec*> flags_of(const CommandSpec& command) {
  std::vector<const FlagSpec*> flags;
  for (const FlagSpec& flag : command.flags) flags.push_back(&flag);
  for (const FlagSpec& flag : common_flags()) flags.push_back(&flag);
  return flags;
}

bool takes_path(const FlagSpec& flag) {
  return flag.value == "FILE" || flag.value == "DIR" || flag.value == "MACHINE";
}

std::vector<std::string> names_of(const FlagSpec& flag) {
  std::vector<std::string> names{std::string(flag.name)};
  if (!flag.short_name.empty()) names.emplace_back(flag.short_name);
  return names;
}

std::string command_names() {
  std::vector<std::string> names;
  for (const CommandSpec& command : command_table()) names.emplace_back(command.name);
  return join(names, " ");
}

// What may stand behind a command: its own words; of `help` commands.
std::string words_after(const CommandSpec& command) {
  if (command.first_word == "COMMAND") return command_names();
  const auto choices = choices_of_word(command);
  return join(std::vector<std::string>(choices.begin(), choices.end()), " ");
}

bool takes_replica(const CommandSpec& command) { return command.first_word == "REPLICA"; }

// Replicas of the deployment that is named on the line, asked of its daemon; none where none runs.
constexpr std::string_view kNumbers =
    "sextant status --format json $NAME 2>/dev/null | grep -o '\"replica\":[0-9]*' | tr -dc "
    "'0-9\\n' | sort -un";
std::string numbers_of(std::string_view name) {
  return replaced(kNumbers, "$NAME", std::string(name));
}

// In single quotes, for each of the three shells.
std::string quoted(std::string_view text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

std::string bash_values() {
  std::string out;
  std::vector<std::string> seen;
  for (const CommandSpec& command : command_table()) {
    for (const FlagSpec* flag : flags_of(command)) {
      if (flag->value.empty()) continue;
      const std::string key = std::string(command.name) + ' ' + std::string(flag->name);
      if (std::ranges::find(seen, key) != seen.end()) continue;
      seen.push_back(key);
      std::vector<std::string> patterns;
      for (const std::string& name : names_of(*flag))
        patterns.push_back(quoted(std::string(command.name) + ':' + name));
      out += "    " + join(patterns, "|") + ") ";
      if (!flag->choices.empty()) {
        out += "COMPREPLY=($(compgen -W " + quoted(replaced(flag->choices, "|", " ")) +
               " -- \"$current\")); return ;;\n";
      } else if (takes_path(*flag)) {
        out += "COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n";
      } else {
        out += "return ;;\n";
      }
    }
  }
  return out;
}

std::string offer(const std::string& words) {
  return "COMPREPLY=($(compgen -W " + words + " -- \"$current\"))";
}

std::string bash() {
  std::string out =
      "# sextant completion for bash: source <(sextant completion bash)\n"
      "_sextant_replicas() {\n"
      "  local at name=()\n"
      "  for ((at = 2; at < COMP_CWORD - 1; ++at)); do\n"
      "    [[ ${COMP_WORDS[at]} == --name ]] && name=(--name \"${COMP_WORDS[at+1]}\")\n"
      "  done\n  " +
      numbers_of("\"${name[@]}\"") +
      "\n}\n"
      "_sextant() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command=${COMP_WORDS[1]} word\n"
      "  COMPREPLY=()\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    [[ $word == -- ]] && { COMPREPLY=($(compgen -f -- \"$current\")); return; }\n"
      "  done\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W " +
      quoted(command_names()) +
      " -- \"$current\"))\n    return\n  fi\n"
      "  case $command:$previous in\n" +
      bash_values() + "  esac\n  case $command in\n";
  for (const CommandSpec& command : command_table()) {
    std::vector<std::string> names;
    for (const FlagSpec* flag : flags_of(command)) {
      for (const std::string& name : names_of(*flag)) names.push_back(name);
    }
    out += "    " + std::string(command.name) + ") ";
    const std::string flags = offer(quoted(join(names, " ")));
    const std::string words = words_after(command);
    const bool replica = takes_replica(command);
    if (words.empty() && !replica) {
      out += flags + " ;;\n";
      continue;
    }
    // Flags where one is begun, and behind the word.
    const std::string first = offer(replica ? "\"$(_sextant_replicas)\"" : quoted(words));
    out += "if ((COMP_CWORD == 2)) && [[ $current != -* ]]; then " + first + "; else " + flags +
           "; fi ;;\n";
  }
  return out + "  esac\n}\ncomplete -o default -F _sextant sextant\n";
}

// _arguments takes `[help]` and `:` for itself.
std::string zsh_help(std::string_view text) {
  std::string out = replaced(text, "\\", "\\\\");
  for (const std::string_view mark : {"[", "]", ":"})
    out = replaced(out, mark, "\\" + std::string(mark));
  return out;
}

std::string zsh_argument(const FlagSpec& flag, std::string_view name, Language language) {
  std::string out = flag.repeats ? "*" : "";
  out += std::string(name) + "[" + zsh_help(flag.help.in(language)) + "]";
  if (flag.value.empty()) return quoted(out);
  out += ":" + zsh_help(flag.value) + ":";
  if (!flag.choices.empty()) out += "(" + replaced(flag.choices, "|", " ") + ")";
  if (takes_path(flag)) out += "_files";
  return quoted(out);
}

std::string zsh(Language language) {
  std::string out =
      "#compdef sextant\n"
      "# sextant completion for zsh: sextant completion zsh > \"${fpath[1]}/_sextant\"\n"
      "_sextant_replicas() {\n"
      "  local -a name numbers\n"
      "  ((${words[(I)--name]})) && name=(--name \"${words[${words[(I)--name]}+1]}\")\n"
      "  numbers=(${(f)\"$(" +
      numbers_of("$name") +
      ")\"})\n  compadd -a numbers\n}\n"
      "_sextant() {\n"
      "  if ((CURRENT == 2)); then\n"
      "    local -a commands=(\n";
  for (const CommandSpec& command : command_table()) {
    out += "      " +
           quoted(std::string(command.name) + ":" + zsh_help(command.help.in(language))) + '\n';
  }
  out +=
      "    )\n    _describe command commands\n    return\n  fi\n"
      "  local command=${words[2]}\n"
      "  if ((${words[(I)--]} && ${words[(I)--]} < CURRENT)); then\n"
      "    shift ${words[(I)--]} words\n    _normal\n    return\n  fi\n"
      "  case $command in\n";
  for (const CommandSpec& command : command_table()) {
    out += "    " + std::string(command.name) + ")\n      _arguments";
    for (const FlagSpec* flag : flags_of(command)) {
      for (const std::string& name : names_of(*flag))
        out += " \\\n        " + zsh_argument(*flag, name, language);
    }
    const std::string words = words_after(command);
    if (takes_replica(command)) {
      out += " \\\n        '1:replica:_sextant_replicas' ;;\n";
    } else if (!words.empty()) {
      out += " \\\n        " + quoted("1:word:(" + words + ")") + " ;;\n";
    } else {
      out += " \\\n        '*::word:_files' ;;\n";
    }
  }
  // In a folder of fpath the file is itself the function that the first Tab calls.
  return out +
         "  esac\n}\nif [[ ${funcstack[1]} == _sextant ]]; then\n  _sextant \"$@\"\nelse\n"
         "  compdef _sextant sextant\nfi\n";
}

// Fish knows a quote in single quotes by a backslash.
std::string fish_quoted(std::string_view text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish(Language language) {
  std::string out =
      "# sextant completion for fish: sextant completion fish > "
      "~/.config/fish/completions/sextant.fish\n";
  for (const CommandSpec& command : command_table()) {
    out += "complete -c sextant -f -n __fish_use_subcommand -a " + std::string(command.name) +
           " -d " + quoted(command.help.in(language)) + '\n';
  }
  for (const CommandSpec& command : command_table()) {
    const std::string words = words_after(command);
    const std::string offered = takes_replica(command) ? '(' + numbers_of("") + ')' : words;
    if (!offered.empty())
      out += "complete -c sextant -f -n '__fish_seen_subcommand_from " + std::string(command.name) +
             "; and test (count (commandline -opc)) -eq 2' -a " + fish_quoted(offered) + '\n';
    for (const FlagSpec* flag : flags_of(command)) {
      out += "complete -c sextant -n '__fish_seen_subcommand_from " + std::string(command.name) +
             "' -l " + std::string(flag->name.substr(2));
      if (!flag->short_name.empty()) out += " -s " + std::string(flag->short_name.substr(1));
      if (!flag->choices.empty()) out += " -x -a " + quoted(replaced(flag->choices, "|", " "));
      if (flag->choices.empty() && !flag->value.empty())
        out += takes_path(*flag) ? " -r -F" : " -x";
      out += " -d " + quoted(flag->help.in(language)) + '\n';
    }
  }
  return out;
}

}  // namespace

int completion_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  const std::string shell = arguments.words.empty() ? "" : arguments.words.front();
  if (shell == "bash") {
    session.output.answer(bash());
  } else if (shell == "zsh") {
    session.output.answer(zsh(language));
  } else if (shell == "fish") {
    session.output.answer(fish(language));
  } else {
    session.output.trouble(trouble_line(kWhich.in(language), language));
    return kCouldNot;
  }
  return kDone;
}

}  // namespace sx
