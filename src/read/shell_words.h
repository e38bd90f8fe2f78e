// A shell text → commands with places. Reads what people write in launch scripts; runs nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "read/command.h"

namespace sx {

// Something in the text that was not understood and may matter: an unclosed quote, $(…), a loop.
struct ShellNote {
  enum class Kind { UnclosedQuote, Substitution, UnknownVariable, TooDeep, NotText };
  Kind kind;
  Span span;
};

struct ShellText {
  std::vector<Command> commands;  // every simple command, in order; the caller keeps the launches
  std::vector<ShellNote> notes;
};

// Limits: 16 MiB of text, 100 000 commands, 65 536 words a command, 1 MiB a word, 16 levels of variables in variables.
// Understands quotes, backslash-newline, comments, VAR=x cmd, export, $VAR ${VAR} ${VAR:-x} ${VAR:=x} set in the same
// text, && || ; | & and newlines, redirections, here-documents (skipped), `env A=b cmd`, exec/nohup/time/sudo/numactl/
// taskset/setsid/stdbuf/CUDA launch wrappers in front. CRLF and a BOM are taken as shells on Linux do not: as line ends.
Result<ShellText> parse_shell(const Sources& sources, int source);

// argv as it was given: one source is made whose text is the words quoted again; spans point into it.
Command command_from_argv(Sources& sources, const std::vector<std::string>& argv);

// One word quoted so that a POSIX shell gives it back; plain words stay plain.
std::string shell_quoted(std::string_view word);
// The whole command on one line: assignments first (`env` form is not used), then the words.
std::string one_line(const Command& command);

}  // namespace sx
