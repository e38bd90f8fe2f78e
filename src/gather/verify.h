// Whether the bytes of a checkpoint are those that were published: SHA-256 of every file against a
// list of sums, or against what the hub's own tools noted down.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "facts/model_spec.h"
#include "gather/outside.h"
#include "read/sums.h"

namespace sx {

enum class SumState {
  Same,
  Different,
  NoSum,    // nothing says what it should be
  Unread,   // it could not be read to its end
  Skipped,  // stopped before it was read
};

struct VerifiedFile {
  std::string path;  // relative to the model's folder
  Bytes bytes;
  SumState state = SumState::Skipped;
  std::string expected, found;  // 64 digits; empty: not known, not read
  Both detail;                  // of Unread
};

struct Verification {
  std::vector<VerifiedFile> files;            // in the order of their names
  std::vector<std::string> listed_not_there;  // names of the list that the folder lacks
  Bytes bytes;                                // read in all
  bool interrupted = false;
};

// What is to be read, before it is: a progress bar wants to know how much.
struct VerifyPlan {
  std::vector<VerifiedFile> files;
  std::vector<std::string> listed_not_there;
  Bytes bytes;
};

// All weight files that are there, and, with a list, every file of it. `sums` null: what the caches
// know.
VerifyPlan plan_verification(const ModelSpec& model, const SumsFile* sums, const Outside& outside);

struct VerifyWatch {
  std::atomic<std::int64_t>* bytes_read = nullptr;
  const std::atomic<bool>* stop = nullptr;
  std::function<void()> tick;  // about ten times a second, from the thread that asked; may be empty
  int threads = 0;             // 0: one a core
};

// Reads real files, several at once, the largest first.
Verification verify(const std::string& folder, VerifyPlan plan, const VerifyWatch& watch);

}  // namespace sx
