// Choosing GPUs by their links. GPUs that nothing tells apart are counted together, so that a
// switch of 64 equal GPUs costs no more than a few, and every set is still judged.
#include "fit/links.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "base/strings.h"

namespace sx {
namespace {

// Sets looked at before the search gives up; every host of 16 GPUs stays far below it (12 870 sets
// of 8).
constexpr long long kMostSteps = 3'000'000;

// What tells sockets apart: the NUMA cell, else the CPU list, else nothing.
std::string node_of(const Gpu& gpu) {
  if (!gpu.numa_affinity.empty() && gpu.numa_affinity.front() >= '0' &&
      gpu.numa_affinity.front() <= '9') {
    return gpu.numa_affinity;
  }
  if (gpu.numa.known()) return std::to_string(gpu.numa.value());
  return gpu.cpu_affinity;
}

struct Machine {
  std::vector<std::vector<int>> strength;  // 0: not known, weaker than any class
  std::vector<int> node;                   // numbered from 0
  std::vector<std::vector<std::string>> classes;
};

std::optional<Machine> machine_of(const HostSpec& host) {
  const std::size_t count = host.gpus.size();
  if (!host.links.known() || host.links.classes.size() != count || count == 0) return {};
  Machine machine;
  machine.classes = host.links.classes;
  std::map<std::string, int> strengths, nodes;
  for (std::size_t a = 0; a < count; ++a) {
    if (machine.classes[a].size() != count) return {};
    std::vector<int> row;
    for (const std::string& cell : machine.classes[a]) {
      const auto [known, fresh] = strengths.try_emplace(cell, 0);
      if (fresh) known->second = link_strength(cell).value_or(0);
      row.push_back(known->second);
    }
    machine.strength.push_back(std::move(row));
    const auto [node, fresh] =
        nodes.try_emplace(node_of(host.gpus[a]), static_cast<int>(nodes.size()));
    machine.node.push_back(node->second);
  }
  return machine;
}

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// A pair counts as its row of the lower GPU says.
int between(const Machine& machine, int a, int b) {
  return machine.strength[at(std::min(a, b))][at(std::max(a, b))];
}

// No other GPU and no node tells the two apart.
bool twins(const Machine& machine, const std::vector<int>& among, int a, int b) {
  if (machine.node[at(a)] != machine.node[at(b)]) return false;
  return std::ranges::all_of(among, [&](int c) {
    return c == a || c == b || between(machine, a, c) == between(machine, b, c);
  });
}

// GPUs that are the same to everybody, also to each other.
struct Group {
  std::vector<int> gpus;
  int inside = 0;  // strength of a pair within
};

std::vector<Group> groups_of(const Machine& machine, const std::vector<int>& among) {
  std::vector<Group> groups;
  for (const int gpu : among) {
    const auto same = std::ranges::find_if(groups, [&](const Group& group) {
      return std::ranges::all_of(group.gpus, [&](int other) {
        const bool fits = group.gpus.size() == 1 || between(machine, gpu, other) == group.inside;
        return fits && twins(machine, among, gpu, other);
      });
    });
    if (same == groups.end()) {
      groups.push_back({{gpu}, 0});
      continue;
    }
    same->inside = between(machine, gpu, same->gpus.front());
    same->gpus.push_back(gpu);
  }
  return groups;
}

struct Score {
  int weakest = 0;
  long long sum = 0;
  int nodes = 0;
  // Larger is better; nodes count against.
  auto key() const { return std::tuple(weakest, sum, -nodes); }
};

// A number of sets that does not fit is as good as the largest that does.
std::int64_t choose(std::int64_t n, std::int64_t k) {
  std::int64_t ways = 1;
  for (std::int64_t i = 1; i <= std::min(k, n - k); ++i) {
    std::int64_t product = 0;
    const std::int64_t shared = std::gcd(ways, i);
    if (__builtin_mul_overflow(ways / shared, (n - std::min(k, n - k) + i) / (i / shared),
                               &product))
      return INT64_MAX;
    ways = product;
  }
  return ways;
}

std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}
std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

// Walks over how many GPUs of each group are taken.
class Search {
 public:
  Search(const Machine& machine, std::vector<Group> groups, int k)
      : machine_(machine), groups_(std::move(groups)), k_(k), taken_(groups_.size(), 0) {
    std::vector<int> behind(groups_.size() + 1, 0);
    for (std::size_t i = groups_.size(); i-- > 0;) {
      behind[i] = behind[i + 1] + static_cast<int>(groups_[i].gpus.size());
    }
    left_behind_ = std::move(behind);
    for (const Group& a : groups_) {
      strongest_ = std::max(strongest_, a.inside);
      for (const Group& b : groups_) {
        if (&a != &b) strongest_ = std::max(strongest_, between(machine_, a.gpus[0], b.gpus[0]));
      }
    }
  }

  bool run() {
    walk(0, 0, INT32_MAX, 0, 1);
    return found_;
  }
  const std::vector<int>& gpus() const { return best_gpus_; }
  std::int64_t ties() const { return ties_; }

 private:
  static long long pairs(long long n) { return n * (n - 1) / 2; }

  // Even if all that is still to come were joined by the strongest link.
  bool hopeless(int chosen, int weakest, long long sum) const {
    if (!found_) return false;
    const long long most = sum + (pairs(k_) - pairs(chosen)) * strongest_;
    return std::tuple(weakest, most) < std::tuple(best_.weakest, best_.sum);
  }

  void walk(std::size_t group, int chosen, int weakest, long long sum, std::int64_t ways) {
    if (++steps_ > kMostSteps) return;
    if (chosen == k_) {
      judge(weakest, sum, ways);
      return;
    }
    if (group == groups_.size() || chosen + left_behind_[group] < k_ ||
        hopeless(chosen, weakest, sum))
      return;
    const Group& own = groups_[group];
    const int most = std::min(static_cast<int>(own.gpus.size()), k_ - chosen);
    // Many first: the first set found is then of the lowest indices and rules out much.
    for (int count = most; count >= 0; --count) {
      int weaker = weakest;
      long long more = sum;
      if (count > 1) {
        weaker = std::min(weaker, own.inside);
        more += pairs(count) * own.inside;
      }
      for (std::size_t other = 0; other < group && count > 0; ++other) {
        if (taken_[other] == 0) continue;
        const int link = between(machine_, groups_[other].gpus[0], own.gpus[0]);
        weaker = std::min(weaker, link);
        more += static_cast<long long>(count) * taken_[other] * link;
      }
      taken_[group] = count;
      const std::int64_t combinations = choose(static_cast<std::int64_t>(own.gpus.size()), count);
      walk(group + 1, chosen + count, weaker, more, times(ways, combinations));
      taken_[group] = 0;
    }
  }

  void judge(int weakest, long long sum, std::int64_t ways) {
    if (found_ && std::tuple(weakest, sum) < std::tuple(best_.weakest, best_.sum)) return;
    std::vector<int> gpus;
    std::set<int> nodes;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const auto& from = groups_[i].gpus;
      gpus.insert(gpus.end(), from.begin(), from.begin() + taken_[i]);
      if (taken_[i] > 0) nodes.insert(machine_.node[at(from[0])]);
    }
    std::ranges::sort(gpus);
    const Score score{weakest, sum, static_cast<int>(nodes.size())};
    if (!found_ || score.key() > best_.key()) {
      best_ = score;
      best_gpus_ = std::move(gpus);
      ties_ = ways;
      found_ = true;
      return;
    }
    if (score.key() < best_.key()) return;
    ties_ = plus(ties_, ways);
    if (gpus < best_gpus_) best_gpus_ = std::move(gpus);
  }

  const Machine& machine_;
  std::vector<Group> groups_;
  int k_;
  std::vector<int> taken_, left_behind_;
  int strongest_ = 0;
  long long steps_ = 0;
  bool found_ = false;
  Score best_;
  std::vector<int> best_gpus_;
  std::int64_t ties_ = 0;
};

GpuSet judged(const Machine& machine, std::vector<int> gpus) {
  std::ranges::sort(gpus);
  GpuSet set;
  set.weakest = "X";
  int weakest = INT32_MAX;
  std::set<int> nodes;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    nodes.insert(machine.node[at(gpus[i])]);
    for (std::size_t j = i + 1; j < gpus.size(); ++j) {
      const int link = between(machine, gpus[i], gpus[j]);
      set.sum += link;
      if (link >= weakest) continue;
      weakest = link;
      set.weakest = machine.classes[at(gpus[i])][at(gpus[j])];
    }
  }
  set.numa_nodes = static_cast<int>(nodes.size());
  set.gpus = std::move(gpus);
  set.ties = 1;
  return set;
}

// Positions in host.gpus of GPU numbers; empty when one is not there or stands twice.
std::vector<int> positions(const HostSpec& host, const std::vector<int>& numbers) {
  std::vector<int> found;
  for (const int number : numbers) {
    const auto gpu = std::ranges::find(host.gpus, number, &Gpu::index);
    if (gpu == host.gpus.end()) return {};
    const int position = static_cast<int>(gpu - host.gpus.begin());
    if (std::ranges::find(found, position) != found.end()) return {};
    found.push_back(position);
  }
  std::ranges::sort(found);
  return found;
}

GpuSet with_numbers(const HostSpec& host, GpuSet set) {
  for (int& gpu : set.gpus) gpu = host.gpus[at(gpu)].index;
  return set;
}

}  // namespace

std::optional<int> link_strength(std::string_view link_class) {
  const LinkClass* known = find_link_class(link_class);
  if (known == nullptr) return {};
  if (known->name == link_class)
    return is_nvlink(link_class) ? std::nullopt : std::optional(known->score);
  const auto links = to_integer(link_class.substr(known->name.size()));
  if (!links || *links < 0 || *links > 1000) return {};
  return static_cast<int>(known->score + known->per_link * *links);
}

std::optional<GpuSet> best_gpus(const HostSpec& host, int k, const std::vector<int>& among) {
  const auto machine = machine_of(host);
  if (!machine) return {};
  std::vector<int> candidates = positions(host, among);
  if (among.empty()) {
    candidates.resize(host.gpus.size());
    std::iota(candidates.begin(), candidates.end(), 0);
  }
  if (k < 1 || at(k) > candidates.size()) return {};
  Search search(*machine, groups_of(*machine, candidates), k);
  if (!search.run()) return {};
  GpuSet set = judged(*machine, search.gpus());
  set.ties = search.ties();
  return with_numbers(host, std::move(set));
}

std::optional<GpuSet> judge_gpus(const HostSpec& host, const std::vector<int>& gpus) {
  const auto machine = machine_of(host);
  const auto chosen = positions(host, gpus);
  if (!machine || chosen.empty()) return {};
  return with_numbers(host, judged(*machine, chosen));
}

}  // namespace sx
