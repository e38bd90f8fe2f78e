// Options in front of the command are stepped over; from there on _arguments reads the words.
#include "base/strings.h"
#include "cli/completion_parts.h"

namespace sx {
namespace {

// _arguments takes `[help]` and `:` for itself.
std::string zsh_help(std::string_view text) {
  std::string out = replaced(text, "\\", "\\\\");
  for (const std::string_view mark : {"[", "]", ":"})
    out = replaced(out, mark, "\\" + std::string(mark));
  return out;
}

// `--name=`: the value may stand behind `=` or as the next word; `-f+`: behind the letter as well.
std::string zsh_argument(const FlagSpec& flag, std::string_view name, Language language) {
  std::string out = flag.repeats ? "*" : "";
  out += name;
  if (!flag.value.empty()) out += name.starts_with("--") ? "=" : "+";
  out += "[" + zsh_help(flag.help.in(language)) + "]";
  if (flag.value.empty()) return single_quoted(out);
  out += ":" + zsh_help(flag.value) + ":";
  if (!flag.choices.empty()) out += "(" + choices_of(flag) + ")";
  if (takes_path(flag)) out += "_files";
  return single_quoted(out);
}

std::string zsh_arguments(const CommandSpec* command, Language language) {
  std::string out = "_arguments";
  for (const FlagSpec* flag : flags_of(command)) {
    for (const std::string& name : names_of(*flag))
      out += " \\\n        " + zsh_argument(*flag, name, language);
  }
  return out;
}

constexpr std::string_view kReplicas = R"sh(_sextant_replicas() {
  local -a name numbers
  local said=${words[(I)--name=*]} apart=${words[(I)--name]}
  ((said)) && name=("${words[said]}")
  ((apart)) && name=(--name "${words[apart+1]}")
  numbers=(${(f)"$()sh";

constexpr std::string_view kStepOver = R"sh(  integer at=2
  local command=
  while ((at < CURRENT)); do
    case ${words[at]} in
      ()sh";

constexpr std::string_view kBehindIt = R"sh() ((at += 2)) ;;
      (-*) ((++at)) ;;
      (*) command=${words[at]}; break ;;
    esac
  done
  if [[ -z $command ]]; then
    if ((at == CURRENT)) && [[ ${words[CURRENT]} != -* ]]; then
      _describe command commands
    else
      )sh";

constexpr std::string_view kLaunch = R"sh(
    fi
    return
  fi
  words=("${words[@]:$((at-1))}")
  ((CURRENT -= at - 1))
  if ((${words[(I)--]} && ${words[(I)--]} < CURRENT)); then
    at=${words[(I)--]}
    shift $at words
    ((CURRENT -= at))
    _normal
    return
  fi
  case $command in
)sh";

// Options of every command that take the next word.
std::string next_word_is_value() {
  std::vector<std::string> names;
  for (const FlagSpec* flag : flags_of(nullptr)) {
    if (!flag->value.empty()) names.emplace_back(flag->name);
  }
  return join(names, "|");
}

std::string what_follows(const CommandSpec& command) {
  const std::string words = words_after(command);
  if (takes_replica(command)) return "'1:replica:_sextant_replicas'";
  return words.empty() ? "'*:word:_files'" : single_quoted("1:word:(" + words + ")");
}

}  // namespace

std::string zsh_completion(Language language) {
  std::string out =
      "#compdef sextant\n"
      "# sextant completion for zsh: sextant completion zsh > \"${fpath[1]}/_sextant\"\n";
  out += std::string(kReplicas) + numbers_of("$name") +
         ")\"})\n  compadd -a numbers\n}\n_sextant() {\n  local -a commands=(\n";
  for (const CommandSpec& command : command_table()) {
    out += "    " +
           single_quoted(std::string(command.name) + ":" + zsh_help(command.help.in(language))) +
           '\n';
  }
  out += "  )\n" + std::string(kStepOver) + next_word_is_value() + std::string(kBehindIt) +
         zsh_arguments(nullptr, language) + std::string(kLaunch);
  for (const CommandSpec& command : command_table()) {
    out += "    " + std::string(command.name) + ")\n      " + zsh_arguments(&command, language) +
           " \\\n        " + what_follows(command) + " ;;\n";
  }
  // In a folder of fpath the file is itself the function that the first Tab calls.
  return out +
         "  esac\n}\nif [[ ${funcstack[1]} == _sextant ]]; then\n  _sextant \"$@\"\nelse\n"
         "  compdef _sextant sextant\nfi\n";
}

}  // namespace sx
