// Which GPUs a layout takes: groups of one kind of card, linked as well as can be; stages and
// replicas of equal quality.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "facts/host_spec.h"
#include "plan/candidates.h"

namespace sx {

struct Placement {
  std::vector<std::vector<int>> groups;  // tensor groups: one a stage, replica after replica
  std::vector<int> idle;

  // The GPUs of one launch in rank order; `replica` counts launches.
  std::vector<int> of(const LaunchShape& shape, int replica) const;
};

// Remembers what it has placed: many candidates take the same groups.
class Placer {
 public:
  explicit Placer(const HostSpec& host);

  const Placement& place(const Candidate& candidate);

  // Launches whose GPUs are of the same kinds in the same order, with links of the same kind inside
  // their groups, have the same memory: one word for all of them.
  std::string likeness(const std::vector<int>& gpus, int group) const;
  // All launches of one shape are alike, whatever GPUs they take.
  bool all_alike() const { return kinds_.size() < 2 && !host_.links.known(); }

 private:
  struct Kind {
    std::string name;
    std::vector<int> gpus;
  };
  std::vector<std::vector<int>> groups_of(int size, int stages, int replicas) const;
  std::vector<std::vector<int>> among_one_kind(std::vector<int>& free, int size, int stages,
                                               int replicas) const;

  const HostSpec& host_;
  std::vector<Kind> kinds_;                                // most free memory first
  std::map<int, std::size_t> kind_of_;                     // by GPU index
  std::map<std::tuple<int, int, int>, Placement> placed_;  // by group size, stages, replicas
};

}  // namespace sx
