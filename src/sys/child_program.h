// Runs another program without a shell and takes what it prints: bounded in time and in bytes, its
// standard input empty.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace sx {

struct ChildAnswer {
  std::string out;         // standard output, and standard error where it was asked for
  int code = 0;            // 128 + the signal where one ended it
  bool timed_out = false;  // it was ended for taking too long; `out` is what it had said
  bool cut = false;        // it said more than was wanted, and was ended
};

struct ChildAsk {
  std::vector<std::string> words;  // the program by name (looked for in PATH) or path
  std::chrono::milliseconds limit{10'000};
  std::size_t most_bytes = std::size_t{16} << 20U;
  // All of it; null: our own. The program is looked for in our own PATH.
  const std::map<std::string, std::string>* environment = nullptr;
  std::string folder;        // where it works; empty: where we do
  bool with_errors = false;  // standard error too, as docker logs needs it
};

// An error of kind Absent when there is no such program.
Result<ChildAnswer> run_child_program(const ChildAsk& ask);

}  // namespace sx
