// Bash hands out words that are taken apart at `=`: --lang = zh, unless somebody told it not to.
#include "base/strings.h"
#include "cli/completion_parts.h"

namespace sx {
namespace {

constexpr std::string_view kHead =
    R"sh(# sextant completion for bash: source <(sextant completion bash)
_sextant_replicas() {
  local at name=()
  for ((at = 1; at < COMP_CWORD - 1; ++at)); do
    [[ ${COMP_WORDS[at]} == --name=* ]] && name=("${COMP_WORDS[at]}")
    [[ ${COMP_WORDS[at]} == --name ]] || continue
    [[ ${COMP_WORDS[at+1]} == = ]] && ((++at))
    ((at + 1 < COMP_CWORD)) && name=(--name "${COMP_WORDS[at+1]}")
  done
  )sh";

constexpr std::string_view kBody = R"sh(
_sextant() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command= word at placed=0 kind values front=
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; ++at)); do
    word=${COMP_WORDS[at]}
    case $word in
      --) COMPREPLY=($(compgen -f -- "$current")); return ;;
      =) ((++at)) ;;
      -*=*) ;;
      -*) [[ ${COMP_WORDS[at+1]} != = ]] && _sextant_value "$command:$word" && ((++at)) ;;
      *) if [[ $command ]]; then ((++placed)); else command=$word; fi ;;
    esac
  done
  if [[ $current == --*=* ]]; then
    previous=${current%%=*} front=${current%%=*}= current=${current#*=}
  elif [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  if [[ $previous == -* ]] && _sextant_value "$command:$previous"; then
    case $kind in
      words) COMPREPLY=($(compgen -P "$front" -W "$values" -- "$current")) ;;
      file) COMPREPLY=($(compgen -P "$front" -f -- "$current")) ;;
    esac
    return
  fi
  case $command in
)sh";

// Which flags take a value, and which.
std::string values() {
  std::string out = "_sextant_value() {\n  case $1 in\n";
  for (const ValuedFlag& one : valued_flags()) {
    out += "    " + single_quoted(one.place) + ") kind=";
    if (!one.flag->choices.empty()) {
      out += "words values=" + single_quoted(choices_of(*one.flag));
    } else {
      out += takes_path(*one.flag) ? "file" : "other";
    }
    out += " ;;\n";
  }
  return out + "    *) return 1 ;;\n  esac\n}\n";
}

std::string offer(const std::string& words) {
  return "COMPREPLY=($(compgen -W " + words + " -- \"$current\"))";
}

std::string flags_offered(const CommandSpec* command) {
  std::vector<std::string> all;
  for (const FlagSpec* flag : flags_of(command)) {
    for (const std::string& name : names_of(*flag)) all.push_back(name);
  }
  return offer(single_quoted(join(all, " ")));
}

// Flags where one is begun, and behind the word.
std::string row(std::string_view name, const std::string& first, const std::string& flags) {
  std::string out = "    " + std::string(name) + ") ";
  if (first.empty()) return out + flags + " ;;\n";
  return out + "if ((placed == 0)) && [[ $current != -* ]]; then " + offer(first) + "; else " +
         flags + "; fi ;;\n";
}

}  // namespace

std::string bash_completion() {
  std::string out(kHead);
  out += numbers_of("\"${name[@]}\"") + "\n}\n" + values();
  out += kBody.substr(1);
  out += row("''", single_quoted(command_names()), flags_offered(nullptr));
  for (const CommandSpec& command : command_table()) {
    const std::string words = words_after(command);
    const std::string first = takes_replica(command) ? "\"$(_sextant_replicas)\""
                              : words.empty()        ? ""
                                                     : single_quoted(words);
    out += row(command.name, first, flags_offered(&command));
  }
  return out + "  esac\n}\ncomplete -o default -F _sextant sextant\n";
}

}  // namespace sx
