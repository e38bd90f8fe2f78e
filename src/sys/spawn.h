// Starts a program that is meant to stay: in a session of its own, with the descriptors,
// environment, processors and limits it is given and no others.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sx {

struct SpawnAsk {
  std::vector<std::string> words;                  // the program by path, or by name in its PATH
  std::map<std::string, std::string> environment;  // all of it
  std::string folder;                              // where it works; empty: where we do
  int in = -1, out = -1, err = -1;                 // -1: /dev/null
  std::vector<std::pair<int, int>> keep;           // descriptors handed on: ours, its number (>= 3)
  std::vector<int> cpus;                           // bound to these; empty: as we are
  bool dies_with_us = false;                       // killed when the thread that started it ends
  std::optional<long> open_files;                  // soft limit, at most the hard one
  int group = -1;  // control_group.h's door: it moves in there before it is the program; -1: none
};

struct Spawned {
  pid_t pid = -1;
  UniqueFd pidfd;  // readable once it has ended
};

// It has a session and a process group of its own, whose number is its pid; signals are as a new
// program expects them. An error says what stood in the way: Absent when there is no such program.
Result<Spawned> spawn(const SpawnAsk& ask);

}  // namespace sx
