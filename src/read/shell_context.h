// What the parts of the shell reader share while one text is read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "read/shell_variables.h"
#include "read/shell_words.h"

namespace sx {

// A text that is read as shell, and where its bytes stand for the user.
struct ShellPart {
  std::string_view text;  // up to its end; positions are offsets in it
  int source = -1;
  std::optional<Span> fixed;  // of a text that stands nowhere as it is: every place is this one
  Command::Text written = Command::Text::Plain;

  Span span(std::size_t begin, std::size_t end) const {
    return fixed ? *fixed : Span{source, begin, end};
  }
};

struct ShellContext {
  ShellText out;
  ShellBudget budget;
  ShellVariables variables{budget};
  int depth = 0;          // of bash -c in bash -c
  bool too_many = false;  // a limit that is an error
  Both too_many_what;

  void note(ShellNote::Kind kind, const Span& span) {
    constexpr std::size_t kMostNotes = 1000;
    if (out.notes.size() < kMostNotes) out.notes.push_back({kind, span});
  }
};

}  // namespace sx
