// The sentences of one source after another; used by the parts of `diagnose` that say what stands
// beside an engine's own words.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/diagnose_answer.h"
#include "knowledge/constraints.h"
#include "logs/waits.h"

namespace sx {

class NoteList {
 public:
  // All that is added from here on is said by this source.
  void begin(std::string_view topic) { topic_ = topic; }
  void add(const Message& message, LineAt at = {}) {
    notes_.push_back({.topic = topic_, .said = in_both(message), .at = at, .command = {}});
  }
  // With a command under it.
  void add_with_command(const Message& message, std::string command) {
    notes_.push_back(
        {.topic = topic_, .said = in_both(message), .at = {}, .command = std::move(command)});
  }
  std::vector<BesideNote> take() { return std::move(notes_); }

 private:
  std::string_view topic_;
  std::vector<BesideNote> notes_;
};

inline Both both_of(const Sentence& sentence) {
  return {std::string(sentence.english), std::string(sentence.chinese)};
}

void add_nccl_notes(NoteList& notes, const NcclLog& log, const HostSpec* host);
void add_collective_notes(NoteList& notes, const std::vector<CollectiveWait>& waits,
                          const NcclLog& log);
void add_flight_notes(NoteList& notes, const Beside& beside);
void add_kernel_notes(NoteList& notes, const std::vector<KernelNote>& kernel, const HostSpec* host);
void add_stack_notes(NoteList& notes, const Waits& waits);

}  // namespace sx
