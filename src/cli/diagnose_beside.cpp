// Sentences are short and say what to look at first; the document has all of it.
#include "cli/diagnose_beside.h"

#include "cli/diagnose_notes.h"
#include "logs/waits.h"

namespace sx {

std::vector<BesideNote> beside_notes(const Beside& beside, const HostSpec* host) {
  NoteList notes;
  if (beside.nccl.any()) add_nccl_notes(notes, beside.nccl, host);
  if (!beside.collectives.empty()) add_collective_notes(notes, beside.collectives, beside.nccl);
  if (!beside.flights.empty() || !beside.unread.empty()) add_flight_notes(notes, beside);
  if (!beside.kernel.empty()) add_kernel_notes(notes, beside.kernel, host);
  if (!beside.stacks.processes.empty()) add_stack_notes(notes, waits_of(beside.stacks));
  return notes.take();
}

}  // namespace sx
