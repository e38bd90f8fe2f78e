// What the parts of `diagnose --pid` and `diagnose --container` share: where logs and sentences go.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/diagnose_answer.h"
#include "cli/diagnose_bundle.h"
#include "cli/diagnose_run.h"
#include "gather/outside.h"

namespace sx {

inline constexpr int kMostPid = 4'194'304;  // Linux has no larger one

struct Live {
  DiagnoseRun& run;
  LogTails& tails;
  std::vector<BesideNote> notes;

  void say(const Message& message) {
    notes.push_back({.topic = "process", .said = in_both(message), .at = {}, .command = {}});
  }
  void feed(const std::string& name, std::string_view text) {
    run.begin_file(name);
    tails.begin(name);
    run.feed(text);
    tails.feed(text);
    tails.end();
    run.end_file();
  }
};

// A process and those that it started: what they are, their stacks, the kernel log; their logs
// where those are files.
Result<void> look_at(Live& live, int pid, bool with_logs, const Outside& outside);

// A container of docker or podman: its log, how it ended, or the process in it. `pid` is that one
// where it runs on this machine.
Result<void> look_into_container(Live& live, const std::string& name, std::optional<int>& pid,
                                 const Outside& outside);

}  // namespace sx
