// Words that the rules about the command line share.
#pragma once

#include <string>
#include <string_view>

#include "check/rule.h"
#include "check/speak.h"

namespace sx::rules {

// Newer than every version whose flags were read: what is unknown here may be new there.
bool newer_than_read(const ServeSpec& serve);

// Nobody said which build runs, and the engine has so many in use that the newest one known is only
// a guess. Then what other builds take is no error. Of engines with numbered releases the newest is
// what a fresh install gives, so that what it refuses is one; `say_version` says what was assumed.
bool build_is_a_guess(const ServeSpec& serve);

// Says so when the version was only taken for granted.
void say_version(Diagnostic& d, const ServeSpec& serve);

// The use that a problem is about; null when the problem is about a word of its own.
const FlagUse* use_of(const ServeSpec& serve, const FlagProblem& problem);

// A use of a flag that takes a list, whose last value looks like the model that the command lacks;
// null when there is none.
const FlagUse* list_with_model(const Case& c);

// "--x.a+" for `name` with what the use had behind its first dot.
std::string with_path(std::string name, const FlagUse& use);

// A value as a sentence may hold it: short and printable, "…" for a secret.
std::string shown(std::string_view flag, std::string_view value);

// The flag and its values as the engine will quote them: "--tp 4".
std::string quoted_back(std::string_view typed, const std::string& value);

// What to say when the flag stands in a file that the command names, which a changed command cannot
// mend.
Message mend_in_file(const Case& c, const Span& span, const std::string& better);
Message mend_in_file(const Case& c, const Span& span);

}  // namespace sx::rules
