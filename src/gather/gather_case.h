// From what the user asked to the cases that the rules are asked: commands, models and the machine,
// gathered once.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "gather/gather_command.h"
#include "gather/gather_host.h"
#include "gather/outside.h"

namespace sx {

// Owns everything that its cases point into; so it stays where it was made.
struct GatheredCases {
  Sources sources;
  HostSpec host;
  std::deque<HostSpec> seen;  // the host as launches in containers see it
  std::map<std::string, std::unique_ptr<ModelSpec>> models;  // by the name in the command
  std::vector<LearnedRun> learned;  // what launches on this machine really took
  std::vector<Launch> launches;
  std::vector<ShellNote> notes;
  std::vector<Case> cases;  // one a launch

  // Launches of engines that are only recognised, in the words of the nearest one that is checked.
  struct Nearest {
    std::unique_ptr<GatheredCases> cases;  // one launch
    std::vector<std::string> left_out;     // flags that have no counterpart there
  };
  std::map<int, Nearest> nearest;  // by launch

  GatheredCases() = default;
  GatheredCases(const GatheredCases&) = delete;
  GatheredCases& operator=(const GatheredCases&) = delete;
};

// Errors are those of gather_commands and gather_host; a model that cannot be found is a fact, not
// an error.
Result<std::unique_ptr<GatheredCases>> gather_cases(const CommandAsk& command, const HostAsk& host,
                                                    const Outside& outside);

}  // namespace sx
