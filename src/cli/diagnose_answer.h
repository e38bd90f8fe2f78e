// What `sextant diagnose` has to say: the cause in words, with its code and its ways out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/both.h"
#include "cli/diagnose_next.h"
#include "diag/diagnostic.h"
#include "diag/render.h"
#include "facts/host_spec.h"
#include "logs/beside.h"
#include "logs/diagnosis.h"

namespace sx {

struct CauseAnswer {
  FoundCause found;
  std::string_view code;  // the rule's where a rule has this name
  Both title, because, otherwise, sure, steps;
  std::vector<Fix> fixes;  // whole commands; only where the command is known
};

// A sentence about what NCCL, the kernel or a stack tells, or about a process that lives.
struct BesideNote {
  std::string_view
      topic;  // "nccl", "collectives", "flight-recorder", "kernel", "stacks", "process"
  Both said;
  LineAt at;            // line 0: it stands in no log
  std::string command;  // to be pasted; empty: none
};

struct DiagnoseAnswer {
  RunLog run;
  bool healthy = false;
  std::vector<CauseAnswer> causes;
  bool all = false;  // also say what is harmless
  Beside beside;
  std::vector<BesideNote> notes;
  std::optional<HostSpec> host;   // only where it was asked for
  std::optional<NextSteps> next;  // where no cause was found
};

// The code of a cause's name: of the rule that has it, else the table's own.
std::string_view code_of_cause(std::string_view name);

DiagnoseAnswer answer_of(RunLog run, Diagnosis diagnosis);

// Lines that frighten and mean nothing, and requests that were refused: the first of each with how
// often it stands there.
struct Harmless {
  const LogEvent* event = nullptr;
  std::uint64_t count = 0;
};
std::vector<Harmless> harmless_of(const DiagnoseAnswer& answer);

std::string_view word(Certainty certainty);
std::string_view in(const Both& both, Language language);

std::string diagnose_text(const DiagnoseAnswer& answer, const Style& style);
std::string diagnose_json(const DiagnoseAnswer& answer);

}  // namespace sx
