// The shell text in which a launch stands, for rules about what a shell makes of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/rule.h"

namespace sx::rules {

struct ScriptText {
  std::string_view text;  // the whole source
  int source = -1;
  std::size_t begin = 0, end = 0;  // of the launch in it

  Span span(std::size_t from, std::size_t to) const { return {source, from, to}; }
};

// Nothing where no shell reads the launch, or not as it stands: manifests without a shell, units,
// processes, text put together from variables.
std::optional<ScriptText> script_text(const Case& c);
// The same, where the whole source is a script: not a script inside a manifest.
std::optional<ScriptText> whole_script(const Case& c);

// A word that the shell took as text: a quoted $NAME or ~, so that nobody replaces it.
struct Unreplaced {
  std::size_t word = 0;
  bool tilde = false;
  std::string_view value;  // without "--flag="
};
std::vector<Unreplaced> unreplaced_words(const Case& c);

// A text that begins with "-x" or "--x".
bool begins_flag(std::string_view text);

// The words of the lines from `from` on that begin with flags, up to the first that does not. Empty
// where something in them is not known.
std::vector<std::string> loose_words(const ScriptText& script, std::size_t from);

// A flag and its value with a blank at the `=` between them.
struct LooseEquals {
  std::size_t flag_word = 0;
  std::size_t last_word = 0;  // the value
  std::string flag, value;
};
std::vector<LooseEquals> loose_equals(const Case& c);

// Another rule of this family says what is wrong with the words of this problem.
bool said_elsewhere(const Case& c, const FlagProblem& problem);

}  // namespace sx::rules
