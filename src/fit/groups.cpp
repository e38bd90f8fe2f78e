// A search over ways to share GPUs out, which begins with the greedy one and improves on it as long
// as its steps last.
#include "fit/groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "fit/links.h"

namespace sx {
namespace {

constexpr long long kMostSteps = 50'000;  // a host of eight GPUs needs some thousands

struct Score {
  int weakest = 0;         // of any group
  long long weakests = 0;  // of all groups together
  long long sum = 0;       // over all pairs
  int nodes = 0;           // NUMA nodes of all groups together, counted against
  auto operator<=>(const Score&) const = default;
};

// Pairs by their strength, each class looked up once.
class Strengths {
 public:
  explicit Strengths(const HostSpec& host) : host_(host) {
    for (std::size_t i = 0; i < host.gpus.size(); ++i) {
      const Gpu& gpu = host.gpus[i];
      position_[gpu.index] = i;
      node_[gpu.index] = gpu.numa_affinity.empty() ? gpu.cpu_affinity : gpu.numa_affinity;
    }
    for (const auto& row : host.links.classes) {
      for (const std::string& cell : row) {
        if (!known_.contains(cell)) known_[cell] = link_strength(cell).value_or(0);
      }
    }
  }

  int between(int a, int b) const {
    const auto row = position_.find(std::min(a, b)), column = position_.find(std::max(a, b));
    if (row == position_.end() || column == position_.end()) return 0;
    const auto& classes = host_.links.classes;
    if (row->second >= classes.size() || column->second >= classes[row->second].size()) return 0;
    return known_.at(classes[row->second][column->second]);
  }

  // Of any two of them.
  int strongest(const std::vector<int>& gpus) const {
    int most = 0;
    for (const int a : gpus) {
      for (const int b : gpus) most = std::max(most, a == b ? 0 : between(a, b));
    }
    return most;
  }

  // Weakest pair and sum of one group.
  std::pair<int, long long> of(const std::vector<int>& group) const {
    int weakest = INT32_MAX;
    long long sum = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (std::size_t j = i + 1; j < group.size(); ++j) {
        weakest = std::min(weakest, between(group[i], group[j]));
        sum += between(group[i], group[j]);
      }
    }
    return {weakest, sum};
  }

  int nodes_of(const std::vector<int>& group) const {
    std::set<std::string_view> nodes;
    for (const int gpu : group) nodes.insert(node_.at(gpu));
    return static_cast<int>(nodes.size());
  }

 private:
  const HostSpec& host_;
  std::map<int, std::size_t> position_;
  std::map<int, std::string> node_;
  std::map<std::string, int> known_;
};

using Groups = std::vector<std::vector<int>>;

class Search {
 public:
  Search(const Strengths& strengths, int count, int size, std::vector<int> among)
      : strengths_(strengths),
        count_(static_cast<std::size_t>(count)),
        size_(static_cast<std::size_t>(size)),
        among_(std::move(among)) {}

  void start_from(Groups groups) {
    best_ = std::move(groups);
    score_ = score_of(best_);
  }

  Groups run() {
    // On a switch that joins all of them equally there is nothing to find.
    if (score_.weakest == strengths_.strongest(among_)) return best_;
    std::vector<bool> used(among_.size(), false);
    Groups groups;
    choose(groups, used, 0);
    return best_;
  }

 private:
  Score score_of(const Groups& groups) const {
    Score score{.weakest = INT32_MAX};
    for (const auto& group : groups) {
      const auto [weakest, sum] = strengths_.of(group);
      score.weakest = std::min(score.weakest, weakest);
      score.weakests += weakest;
      score.sum += sum;
      score.nodes -= strengths_.nodes_of(group);
    }
    return score;
  }

  // Each further group begins with a higher number than the one before, so that no way is met
  // twice.
  void choose(Groups& groups, std::vector<bool>& used, std::size_t from) {
    if (++steps_ > kMostSteps) return;
    if (groups.size() == count_) {
      const Score score = score_of(groups);
      if (score > score_ || (score == score_ && groups < best_)) {
        score_ = score;
        best_ = groups;
      }
      return;
    }
    for (std::size_t first = from; first < among_.size(); ++first) {
      if (used[first]) continue;
      groups.push_back({among_[first]});
      used[first] = true;
      fill(groups, used, first + 1, first + 1);
      used[first] = false;
      groups.pop_back();
    }
  }

  void fill(Groups& groups, std::vector<bool>& used, std::size_t from, std::size_t next_group) {
    if (++steps_ > kMostSteps) return;
    if (groups.back().size() == size_) {
      choose(groups, used, next_group);
      return;
    }
    for (std::size_t i = from; i < among_.size(); ++i) {
      if (used[i]) continue;
      groups.back().push_back(among_[i]);
      used[i] = true;
      fill(groups, used, i + 1, next_group);
      used[i] = false;
      groups.back().pop_back();
    }
  }

  const Strengths& strengths_;
  std::size_t count_, size_;
  std::vector<int> among_;
  Groups best_;
  Score score_;
  long long steps_ = 0;
};

// The best group, then the best of what is left …
std::optional<Groups> one_after_the_other(const HostSpec& host, int count, int size,
                                          std::vector<int> among) {
  Groups groups;
  for (int i = 0; i < count; ++i) {
    const auto best = best_gpus(host, size, among);
    if (!best) return {};
    std::erase_if(
        among, [&best](int gpu) { return std::ranges::find(best->gpus, gpu) != best->gpus.end(); });
    groups.push_back(best->gpus);
    if (among.empty() && i + 1 < count) return {};
  }
  std::ranges::sort(groups);
  return groups;
}

}  // namespace

std::optional<std::vector<std::vector<int>>> best_groups(const HostSpec& host, int count, int size,
                                                         const std::vector<int>& among) {
  if (!host.links.known() || count < 1 || size < 2 ||
      among.size() < static_cast<std::size_t>(count) * static_cast<std::size_t>(size)) {
    return {};
  }
  std::vector<int> candidates = among;
  std::ranges::sort(candidates);
  auto greedy = one_after_the_other(host, count, size, candidates);
  if (!greedy) return {};
  const Strengths strengths(host);
  Search search(strengths, count, size, std::move(candidates));
  search.start_from(std::move(*greedy));
  return search.run();
}

}  // namespace sx
