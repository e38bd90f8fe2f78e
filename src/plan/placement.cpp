// Groups of one kind of card first; within a kind by the rule of fit/groups and fit/links.
#include "plan/placement.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "fit/groups.h"
#include "fit/links.h"

namespace sx {
namespace {

using Groups = std::vector<std::vector<int>>;

std::int64_t free_bytes(const Gpu& gpu) {
  const Bytes whole = gpu.usable.known() ? gpu.usable.value() : gpu.memory.value_or(Bytes{0});
  return (whole - gpu.used.value_or(Bytes{0})).count();
}

// Cards that nothing tells apart for a launch.
std::string kind_name(const Gpu& gpu) {
  return gpu.name.value_or("?") + '/' + std::to_string(free_bytes(gpu));
}

void take_from(std::vector<int>& free, const Groups& groups) {
  std::vector<int> taken;
  for (const auto& group : groups) taken.insert(taken.end(), group.begin(), group.end());
  std::ranges::sort(taken);
  std::erase_if(free, [&taken](int gpu) { return std::ranges::binary_search(taken, gpu); });
}

Groups first_ones(const std::vector<int>& free, int count, int size) {
  Groups groups;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto begin = free.begin() + static_cast<std::ptrdiff_t>(i) * size;
    groups.emplace_back(begin, begin + size);
  }
  return groups;
}

// `count` groups of `size` out of those that are free.
Groups linked_groups(const HostSpec& host, const std::vector<int>& free, int count, int size) {
  if (count == 1 && size > 1) {
    if (auto best = best_gpus(host, size, free)) return {best->gpus};
  }
  if (size > 1) {
    if (auto best = best_groups(host, count, size, free)) return *best;
  }
  return first_ones(free, count, size);
}

// Neighbours in one replica: stages on one NUMA node hand over without crossing sockets.
void order_by_node(const HostSpec& host, Groups& groups) {
  const auto node = [&host](const std::vector<int>& group) {
    const auto gpu = std::ranges::find(host.gpus, group.front(), &Gpu::index);
    return gpu == host.gpus.end() ? 0 : gpu->numa.value_or(0);
  };
  std::ranges::sort(groups, {}, [&node](const std::vector<int>& group) {
    return std::pair(node(group), group.front());
  });
}

Groups single_gpus(const Groups& replicas) {
  Groups groups;
  for (const auto& replica : replicas) {
    for (const int gpu : replica) groups.push_back({gpu});
  }
  return groups;
}

}  // namespace

std::vector<int> Placement::of(const LaunchShape& shape, int replica) const {
  const std::size_t each =
      static_cast<std::size_t>(shape.pipeline) * static_cast<std::size_t>(shape.ranks);
  std::vector<int> gpus;
  for (std::size_t i = 0; i < each; ++i) {
    const auto& group = groups[static_cast<std::size_t>(replica) * each + i];
    gpus.insert(gpus.end(), group.begin(), group.end());
  }
  return gpus;
}

Placer::Placer(const HostSpec& host) : host_(host) {
  for (const Gpu& gpu : host.gpus) {
    const std::string name = kind_name(gpu);
    auto kind = std::ranges::find(kinds_, name, &Kind::name);
    if (kind == kinds_.end()) {
      kinds_.push_back({name, {}});
      kind = std::prev(kinds_.end());
    }
    kind->gpus.push_back(gpu.index);
  }
  const auto room = [&host](const Kind& kind) {
    const auto gpu = std::ranges::find(host.gpus, kind.gpus.front(), &Gpu::index);
    return std::pair(-free_bytes(*gpu), kind.gpus.front());
  };
  std::ranges::sort(kinds_, {}, room);
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    for (const int gpu : kinds_[i].gpus) kind_of_[gpu] = i;
  }
}

// All groups at once, so that none gets the leftovers of another.
Groups Placer::among_one_kind(std::vector<int>& free, int size, int stages, int replicas) const {
  Groups groups;
  if (size == 1 && stages > 1) {
    groups = single_gpus(linked_groups(host_, free, replicas, stages));
  } else {
    groups = linked_groups(host_, free, stages * replicas, size);
    if (stages > 1) order_by_node(host_, groups);
  }
  take_from(free, groups);
  return groups;
}

Groups Placer::groups_of(int size, int stages, int replicas) const {
  std::vector<std::vector<int>> free;
  for (const Kind& kind : kinds_) free.push_back(kind.gpus);
  const auto holds = [](const std::vector<int>& gpus, int count) {
    return gpus.size() >= static_cast<std::size_t>(count);
  };
  const int each = size * stages;
  for (auto& gpus : free) {
    if (holds(gpus, each * replicas)) return among_one_kind(gpus, size, stages, replicas);
  }
  Groups groups;
  const auto add = [&groups](Groups more) { std::ranges::move(more, std::back_inserter(groups)); };
  for (int replica = 0; replica < replicas; ++replica) {
    const auto whole =
        std::ranges::find_if(free, [&](const auto& gpus) { return holds(gpus, each); });
    if (whole != free.end()) {
      add(among_one_kind(*whole, size, stages, 1));
      continue;
    }
    for (int stage = 0; stage < stages; ++stage) {
      const auto one =
          std::ranges::find_if(free, [&](const auto& gpus) { return holds(gpus, size); });
      if (one != free.end()) {
        add(among_one_kind(*one, size, 1, 1));
        continue;
      }
      // A group of several kinds: those with the most memory.
      std::vector<int> mixed;
      for (auto& gpus : free) {
        while (!gpus.empty() && mixed.size() < static_cast<std::size_t>(size)) {
          mixed.push_back(gpus.front());
          gpus.erase(gpus.begin());
        }
      }
      std::ranges::sort(mixed);
      groups.push_back(std::move(mixed));
    }
  }
  return groups;
}

const Placement& Placer::place(const Candidate& candidate) {
  const LaunchShape& shape = candidate.shape;
  // Ranks of one GPU each exchange tokens of their experts: together they are one group.
  const bool exchange = shape.tensor == 1 && shape.pipeline == 1 && shape.ranks > 1;
  const int stages = exchange ? shape.ranks : shape.pipeline;
  const int launches = exchange ? candidate.replicas : shape.ranks * candidate.replicas;
  const std::tuple key(shape.tensor, stages, launches);
  const auto found = placed_.find(key);
  if (found != placed_.end()) return found->second;
  Placement placement;
  placement.groups = groups_of(shape.tensor, stages, launches);
  for (const Gpu& gpu : host_.gpus) placement.idle.push_back(gpu.index);
  take_from(placement.idle, placement.groups);
  return placed_.emplace(key, std::move(placement)).first->second;
}

std::string Placer::likeness(const std::vector<int>& gpus, int group) const {
  if (all_alike()) return {};
  std::string word;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    word += std::to_string(kind_of_.at(gpus[i])) + ".";
    if ((i + 1) % static_cast<std::size_t>(group) != 0 || group == 1) continue;
    const std::vector<int> members(gpus.begin() + static_cast<std::ptrdiff_t>(i) + 1 - group,
                                   gpus.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    const auto judged = judge_gpus(host_, members);
    word += judged && is_nvlink(judged->weakest) ? '+' : '-';
  }
  return word;
}

}  // namespace sx
