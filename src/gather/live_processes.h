// A launch that runs: its processes, what they run with, what they write to. Only names of the
// environment that matter, never a secret.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "gather/outside.h"

namespace sx {

struct LiveProcess {
  int pid = 0;
  int parent = 0;                  // 0: the one that was asked for
  std::vector<std::string> words;  // of its command line
  std::string name;                // as the kernel has it: "VLLM::Worker_TP"
  std::string state;               // "S (sleeping)", "D (disk sleep)"
  std::string waits_in;            // function of the kernel; empty: not told
  std::optional<Bytes> resident;
  int threads = 0;
  std::vector<std::pair<std::string, std::string>> environment;  // of engines and libraries
  std::vector<std::string> libraries;  // files of NCCL and CUDA that are really loaded
  std::optional<Bytes> locked_memory;
  std::optional<int> open_files;
};

struct LiveRun {
  std::vector<LiveProcess> processes;  // the one asked for first
  std::vector<std::string> logs;       // regular files that it writes its output to
  bool more = false;                   // more processes than are looked at
};

// An error when there is no such process.
Result<LiveRun> live_run(const Outside& outside, int pid);

}  // namespace sx
