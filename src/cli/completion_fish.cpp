// Fish is told under which condition each word is offered: which command stands there, and how many
// words behind it.
#include "base/strings.h"
#include "cli/completion_parts.h"

namespace sx {
namespace {

// Fish knows a quote in single quotes by a backslash.
std::string fish_quoted(std::string_view text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

constexpr std::string_view kHead =
    R"sh(# sextant completion for fish: sextant completion fish > ~/.config/fish/completions/sextant.fish
function __sextant_words
    set -l words
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        test "$word" = --; and return
        switch "$words[1]:$word"
            case )sh";

constexpr std::string_view kTail = R"sh(
                set skip 1
            case '*:-*'
            case '*'
                set -a words $word
                echo $word
        end
    end
end
function __sextant_name
    set -l said (commandline -opc)
    for at in (seq 2 (count $said))
        string match -q -- '--name=*' $said[$at]; and echo $said[$at]
        test "$said[$at]" = --name; and test $at -lt (count $said); and echo $said[$at]=$said[(math $at + 1)]
    end
end
function __sextant_none
    test (count (__sextant_words)) -eq 0
end
function __sextant_in
    set -l words (__sextant_words)
    test "$words[1]" = $argv[1]
end
function __sextant_first
    set -l words (__sextant_words)
    test "$words[1]" = $argv[1]; and test (count $words) -eq 1
end
)sh";

std::string flag_line(const FlagSpec& flag, const std::string& condition, Language language) {
  std::string out =
      "complete -c sextant -n '" + condition + "' -l " + std::string(flag.name.substr(2));
  if (!flag.short_name.empty()) out += " -s " + std::string(flag.short_name.substr(1));
  if (!flag.choices.empty()) out += " -x -a " + fish_quoted(choices_of(flag));
  if (flag.choices.empty() && !flag.value.empty()) out += takes_path(flag) ? " -r -F" : " -x";
  return out + " -d " + fish_quoted(flag.help.in(language)) + '\n';
}

}  // namespace

std::string fish_completion(Language language) {
  std::vector<std::string> valued;
  for (const ValuedFlag& one : valued_flags()) valued.push_back(fish_quoted(one.place));
  std::string out = std::string(kHead) + join(valued, " ") + std::string(kTail);
  for (const CommandSpec& command : command_table()) {
    out += "complete -c sextant -f -n __sextant_none -a " + std::string(command.name) + " -d " +
           fish_quoted(command.help.in(language)) + '\n';
  }
  for (const FlagSpec* flag : flags_of(nullptr))
    out += flag_line(*flag, "__sextant_none", language);
  for (const CommandSpec& command : command_table()) {
    const std::string name(command.name);
    const std::string words = words_after(command);
    const std::string offered =
        takes_replica(command) ? '(' + numbers_of("(__sextant_name)") + ')' : words;
    if (!offered.empty())
      out += "complete -c sextant -f -n '__sextant_first " + name + "' -a " + fish_quoted(offered) +
             '\n';
    for (const FlagSpec* flag : flags_of(&command))
      out += flag_line(*flag, "__sextant_in " + name, language);
  }
  return out;
}

}  // namespace sx
