// Whether a launch has room for what it must hold, and what is chosen beside its sizes so that it
// has.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/memory_verdict.h"
#include "plan/launches.h"
#include "plan/plan.h"
#include "plan/tried_launch.h"

namespace sx {

// One launch with its memory.
struct Fitted {
  bool sayable = false;  // the engine has words for it
  // The launch where it had to be read from its words; null: it is one that is tried.
  std::shared_ptr<const Case> in_words;
  LaunchSettings settings;
  // Null: memory cannot be worked out. Of a hopeless launch it may tell of weights alone. Shared
  // with the plans that come of it.
  std::shared_ptr<const Budget> budget;
  Message why_unknown;
  bool fits = false;      // it starts, and holds the longest request asked for
  bool doubtful = false;  // by best estimate only
  bool unlikely = false;  // doubtful, and by best estimate it does not hold the longest request
  bool hopeless = false;  // the weights alone are too much: no setting helps
  bool more_sequences = false;  // max_num_seqs was raised for the users, not lowered for memory
  bool beside_others = false;   // the share is what other processes leave of the cards
  std::optional<MemoryBreak> broken;  // what breaks, or may
  std::vector<Message> notes;
  std::vector<int> gpus;

  Tokens kv_tokens() const { return budget ? budget->kv_tokens : Tokens{}; }
};

// What must be held: the longest request, and requests at once of a usual length.
struct RoomAsk {
  Tokens longest;
  bool longest_asked = false;  // false: as much longer as fits
  Tokens usual;                // tokens of a usual request
  int at_once = 1;             // for this launch, or for one of its groups
  int groups = 1;              // of requests, among which the launch's own numbers are shared out
  bool fp8_cache = false;
};

// Whether the launch surely holds the longest request, and all the usual ones at once.
bool surely_holds(const Fitted& fit, const RoomAsk& ask);

// Where it does not: whether half the bytes a token could be enough, by arithmetic alone.
bool small_cache_could_do(const Case& launch, const Fitted& fit, const RoomAsk& ask);

// Sizes of a launch on these GPUs.
struct SizedLaunch {
  const Case& bare;
  const LaunchShape& shape;
  const std::vector<int>& gpus;
  // One of these sizes; null: each launch is read from its words.
  TriedLaunch* tried = nullptr;
  // Its weights alone are looked at first: the whole memory need not be worked out to refuse it.
  bool likely_hopeless = false;
};

// The launch of which that is the memory. It stands until another one is tried.
const Case& launch_of(TriedLaunch* tried, const Fitted& fit);

// The launch with the engine's defaults where they do; else with fewer sequences, shorter steps or
// a larger share of the cards, as far as each of them helps.
Fitted fitted(const SizedLaunch& sized, const RoomAsk& ask);

// Of an engine whose pool is as large as it is told: as many slots of the longest request as fit.
Fitted fitted_by_layers(const SizedLaunch& sized, const RoomAsk& ask);

// The launch as said, nothing chosen. `known`: its budget, where somebody has worked it out.
Fitted as_said(const SizedLaunch& sized, LaunchSettings settings, Tokens longest,
               std::shared_ptr<const Budget> known = nullptr);

}  // namespace sx
