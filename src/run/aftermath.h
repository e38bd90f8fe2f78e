// What is done about an engine that ended or does not work: why, and that nothing of it stays.
// These wait for other programs, so they are called beside the loop, never in it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "run/replica_files.h"
#include "run/supervisor.h"

namespace sx {

struct CauseAsk {
  Attempt of;
  std::string program;  // our own, by path
  ReplicaFiles files;
  std::vector<std::string> words;   // the engine's command
  std::string report;               // where the whole answer is to lie
  std::optional<int> code, signal;  // how it ended; neither: it runs, or nobody knows
  OomKills oom_kills;               // the kernel's count while it ran
  int port = 0;                     // whose owner is named where it was taken
  pid_t still_runs = 0;             // take its stacks too; 0: it has ended
  std::chrono::seconds limit{30};
};
// Runs `diagnose` over what the engine left. Where that finds nothing but the engine has ended, the
// cause is that it did: process-died, with the code or signal.
CauseFound find_cause(const CauseAsk& ask);

struct StopAsk {
  std::string socket, mark, group;
  std::optional<ProcessIdentity> keeper;
  std::chrono::seconds grace{0};  // 0: killed at once
};
// Asks the keeper to end its engine. One that has gone leaves its engine to us; one that does not
// answer is waited for while there is grace and killed after it, and its engine goes with it.
void stop_engine(const StopAsk& ask);

struct ReleaseAsk {
  std::string mark;                     // of the start; empty: nothing was started
  std::string group;                    // that held it; empty: none did
  std::vector<ProcessIdentity> family;  // seen last by its keeper
  bool strangers = false;  // those that came home to this program too: nobody else has them
  std::string host;
  int port = 0;  // nobody may listen there any more; 0: not asked
  std::chrono::seconds limit{30};
};
struct ReleaseTold {
  bool clean = false;
  int ended = 0;            // processes that had stayed and were killed
  bool port_taken = false;  // by somebody who is none of ours
};
// Ends all that is known of it until nothing is left, then waits for the port: not long for one
// that somebody else holds.
ReleaseTold see_released(const ReleaseAsk& ask);

}  // namespace sx
