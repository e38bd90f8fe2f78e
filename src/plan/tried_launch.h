// A launch of one kind of shapes that is tried with many sizes, GPUs and settings. What differs is
// set as values in one Case: a Case is large, and a search tries hundreds of launches.
#pragma once

#include <vector>

#include "facts/case.h"
#include "plan/launches.h"

namespace sx {

// What differs between two launches of the same engine is set as values where that is all the same
// to what asks for memory and speed: the words stay as they are. Not where numbers were learned
// from a run, which hold for its very words.
bool takes_values(const Case& said);

class TriedLaunch {
 public:
  // As read from words, with no settings but the type of its cache. `bare` says no sizes.
  TriedLaunch(Case said, const LaunchShape& shape, const ServeSpec& bare);

  const LaunchShape& shape() const { return shape_; }
  // The one that its words say.
  const LaunchShape& read_for() const { return read_for_; }
  // Makes it one of this shape, which is of the same kind by values. False, and nothing is changed,
  // where the numbers have to be read from words.
  bool resize(const LaunchShape& now);

  // As it was read, in its newest shape. This and what `with` answers stand until either is called
  // again.
  const Case& plain();
  // On these GPUs, with these settings beside those that it says. Null where one has to be read
  // from words.
  const Case* with(const std::vector<int>& gpus, const LaunchSettings& settings);

 private:
  bool can_be_set(const LaunchSettings& settings) const;
  void set(const LaunchSettings& settings);
  void move_to(const std::vector<int>& gpus);

  // What it says where nothing is chosen.
  struct Own {
    Fact<Tokens> max_model_len;
    Fact<bool> max_model_len_auto;
    Fact<int> max_num_seqs;
    Fact<Tokens> max_batched_tokens;
    Fact<double> memory_fraction;
    Fact<PipelinePartition> partition;
    Fact<std::string> visible_devices;
    VisibleDevices visible;
  };
  // Of one stage, and of one rank.
  struct One {
    Fact<int> pipeline, data, data_local;
  };

  Case launch_;
  Own own_;
  One one_;
  LaunchShape read_for_;
  LaunchShape shape_;
  LaunchSettings settings_;  // that are set now; the type of the cache is not
  std::vector<int> gpus_;    // likewise; empty: its own
};

}  // namespace sx
