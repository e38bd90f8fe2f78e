// What we say once about one problem.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "diag/message.h"

namespace sx {

enum class Severity { Error, Warning, Advice };
enum class Confidence { Certain, Computed, Likely };

// A place in the user's own text and what it means here. The text may be empty: the place alone
// says it.
struct Label {
  Span span;
  Message text;
  bool primary = false;
};

// A fix as people judge it. Safe: nothing a user would notice but that it works. ChangesBehaviour:
// other layout, port … Trades: gives something up, and the title says what.
enum class Safety { Safe, ChangesBehaviour, Trades };

struct Edit {
  Span span;  // replaced bytes; empty span: insertion
  std::string text;
};

// A warning that a fix brings along and that was not there before.
struct Brought {
  std::string_view code;  // "SX5103"
  Message title;
};

// A whole command, checked again by all rules before anyone sees it.
struct Fix {
  Message title;
  std::string command;
  Safety safety = Safety::ChangesBehaviour;
  std::vector<Edit> edits;  // the same change in the user's own text; empty where the text cannot
                            // be edited in place
  bool clears_errors = false;   // with this fix alone no error of any rule is left
  std::vector<Brought> brings;  // at most three
  bool by_lines = false;  // the command stands in a manifest: its changed lines say the fix better
};

struct Diagnostic {
  std::string_view code;  // "SX2103"
  std::string_view name;  // "tp-heads-indivisible"
  Severity severity = Severity::Error;
  Confidence confidence = Confidence::Certain;
  Message title;
  std::vector<Label> labels;   // at most one primary and two others
  std::vector<Message> basis;  // facts without a place: "64 heads: built-in catalogue"
  Message because;
  Message otherwise;
  std::vector<Fix> fixes;  // best first, at most three
  Message no_fix;          // said in place of fixes when nothing works here: what would
  std::string subject;     // flag or thing for the fingerprint: "--tensor-parallel-size"
  int launch = 0;          // which launch of the file, 0-based
};

}  // namespace sx
