// A shell text → commands with places. Reads what people write in launch scripts; runs nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "read/command.h"

namespace sx {

// Something in the text that was not understood and may matter: an unclosed quote, $(…), a variable
// set elsewhere.
struct ShellNote {
  enum class Kind {
    UnclosedQuote,    // a quote, a bracket or a here-document without its end
    Substitution,     // $(…), `…`, arithmetic that is not plain
    UnknownVariable,  // set nowhere in the text, or in a branch that may not be taken
    TooDeep,          // past a limit; what depends on it is incomplete
    NotText,          // the first byte that is no UTF-8, or a NUL
    LooseFlags,  // a line that begins with a flag: the command above ended too early (a comment in
                 // the middle, a blank behind the backslash)
  };
  Kind kind;
  Span span;
};

struct ShellText {
  std::vector<Command> commands;  // every simple command, in order; the caller keeps the launches
  std::vector<ShellNote> notes;   // at most 1000
};

// Limits: 16 MiB of text, 100 000 commands, 65 536 words a command (an error beyond); 1 MiB a word,
// 64 MiB of expanded text in all, 16 levels of ${A:-${B:-…}}, 8 levels of bash -c (incomplete words
// and a note beyond). Understands quotes, backslash-newline, comments, VAR=x cmd, export, $VAR
// ${VAR} ${VAR:-x} ${VAR:=x} and arrays set in the same text, $((PORT+1)), && || ; | & and
// newlines, redirections, here-documents (skipped), loops and branches (their commands are found, a
// variable that a branch may have changed is not known behind it), bash -c, eval, and the wrappers
// of command_front.h. CRLF, a lone CR and a BOM are taken as shells on Linux do not: as line ends
// and as nothing.
Result<ShellText> parse_shell(const Sources& sources, int source);

// The bytes [begin, end) of a source, written there inside something else (a quoted word, a YAML
// scalar), as shell text; spans point into the source. `written` says how: Plain when the shell
// gets these bytes as they are, InsideQuotes when a new text must not hold quotes, backslashes or
// dollar signs. `inherited` are the variables that its commands see.
Result<ShellText> parse_shell_part(const Sources& sources, const Span& part, Command::Text written,
                                   std::vector<Setting> inherited = {});

// A shell text that stands nowhere as it is: every span is `place`, and nothing can be edited.
Result<ShellText> parse_shell_derived(std::string_view text, const Span& place,
                                      std::vector<Setting> inherited = {});

// argv as it was given: one source is made whose text is the words quoted again; spans point into
// it. A single word that holds blanks is read as shell text, and the first command in it counts.
Command command_from_argv(Sources& sources, const std::vector<std::string>& argv,
                          SourceKind kind = SourceKind::CommandLine);

// One word quoted so that a POSIX shell gives it back; plain words stay plain. Control characters
// become $'\n', so that the result is one line.
std::string shell_quoted(std::string_view word);
// Programs that start the command: "numactl" "--membind=0". `exec` is never shown: pasted into a
// terminal, it would end the shell there.
enum class Wrappers { LeftOut, Shown };

// The whole command on one line: what starts the container if there is one, assignments, then the
// words.
std::string one_line(const Command& command, Wrappers with = Wrappers::LeftOut);

}  // namespace sx
