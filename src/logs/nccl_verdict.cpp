// Nothing here guesses: a rank is absent where a group of known size has no line of it.
#include "logs/nccl_verdict.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

namespace sx {
namespace {

constexpr int kMostAbsent = 4096;  // a size is only a number in a text

void add_pair(std::vector<NcclWay>& ways, const NcclPair& pair) {
  auto way = std::ranges::find(ways, pair.how, &NcclWay::how);
  if (way == ways.end()) {
    ways.push_back({.how = pair.how, .pairs = {}});
    way = ways.end() - 1;
  }
  const std::pair<int, int> both = std::minmax(pair.from, pair.to);
  way->pairs.push_back(both);
}

void tidy(std::vector<NcclWay>& ways) {
  for (NcclWay& way : ways) {
    std::ranges::sort(way.pairs);
    const auto rest = std::ranges::unique(way.pairs);
    way.pairs.erase(rest.begin(), rest.end());
  }
  std::ranges::sort(ways, [](const NcclWay& a, const NcclWay& b) {
    return a.pairs.size() != b.pairs.size() ? a.pairs.size() > b.pairs.size() : a.how < b.how;
  });
}

NcclVerdict verdict_of(const NcclGroup& group) {
  NcclVerdict verdict{.group = &group, .unfinished = {}, .absent = {}, .ways = {}};
  std::set<int> there;
  std::set<int> unfinished;
  for (const NcclRank& rank : group.ranks) {
    there.insert(rank.rank);
    const bool in = rank.completed || rank.ended;
    if (in) ++verdict.joined;
    if (!in) unfinished.insert(rank.rank);
  }
  verdict.unfinished.assign(unfinished.begin(), unfinished.end());
  // Logs of one rank alone tell nothing of the others: they count as absent only where it is seen
  // that several wrote here.
  const bool several = there.size() > 1;
  for (int rank = 0; several && rank < std::min(group.size, kMostAbsent); ++rank) {
    if (!there.contains(rank)) verdict.absent.push_back(rank);
  }
  for (const NcclPair& pair : group.pairs) add_pair(verdict.ways, pair);
  tidy(verdict.ways);
  return verdict;
}

// The operation, and how much where it is told: all ranks of a group must say the same.
std::string called(const CollectiveWait& wait) {
  // One rank may send where the others receive, and pieces may be uneven.
  const bool even = wait.operation == "ALLREDUCE" || wait.operation == "_ALLGATHER_BASE" ||
                    wait.operation == "_REDUCE_SCATTER_BASE";
  if (!even || wait.values_in < 0) return wait.operation;
  return wait.operation + " (" + std::to_string(wait.values_in) + ")";
}

}  // namespace

std::vector<NcclVerdict> verdicts_of(const NcclLog& log) {
  std::vector<NcclVerdict> all;
  for (const NcclGroup& group : log.groups) {
    if (group.size > 1 && !group.ranks.empty()) all.push_back(verdict_of(group));
  }
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const bool open_a = !all[a].whole();
    const bool open_b = !all[b].whole();
    if (open_a != open_b) return open_a;
    const int size_a = all[a].group->size;
    const int size_b = all[b].group->size;
    return size_a != size_b ? size_a > size_b : a < b;
  });
  std::vector<NcclVerdict> sorted;
  sorted.reserve(all.size());
  for (const std::size_t i : order) sorted.push_back(std::move(all[i]));
  return sorted;
}

std::string rank_list(std::vector<int> ranks) {
  constexpr int kMostRuns = 12;  // what a line can hold
  std::ranges::sort(ranks);
  std::string text;
  int runs = 0;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] - ranks[i] <= static_cast<int>(end - i)) ++end;
    if (!text.empty()) text += ", ";
    if (++runs > kMostRuns) return text + "…";
    text += std::to_string(ranks[i]);
    const int last = ranks[end - 1];
    if (last > ranks[i])
      text.append(last == ranks[i] + 1 ? ", " : "-").append(std::to_string(last));
    i = end;
  }
  return text;
}

CollectiveVerdict verdict_of(const std::vector<CollectiveWait>& waits, const NcclLog& nccl) {
  CollectiveVerdict verdict{.waiting = {}, .behind = {}, .silent = {}, .unlike = {}};
  std::set<int> waiting;
  std::set<int> behind;
  for (const CollectiveWait& wait : waits) {
    if (wait.sequence < 0) continue;
    waiting.insert(wait.rank);
    if (verdict.first == nullptr || wait.sequence < verdict.first->sequence) verdict.first = &wait;
  }
  std::map<std::string_view, std::int64_t> farthest;  // of each group
  for (const CollectiveWait& wait : waits) {
    std::int64_t& most = farthest.try_emplace(wait.group, -1).first->second;
    most = std::max(most, wait.enqueued);
  }
  for (const CollectiveWait& a : waits) {
    if (a.enqueued >= 0 && a.enqueued < farthest[a.group]) behind.insert(a.rank);
    const CollectiveWait* const first = verdict.first;
    if (first != nullptr && a.group == first->group && a.sequence == first->sequence &&
        called(a) != called(*first)) {
      if (verdict.unlike.empty()) verdict.unlike.emplace_back(first->rank, called(*first));
      verdict.unlike.emplace_back(a.rank, called(a));
    }
  }
  verdict.waiting.assign(waiting.begin(), waiting.end());
  verdict.behind.assign(behind.begin(), behind.end());
  int size = 0;
  for (const NcclGroup& group : nccl.groups) size = std::max(size, group.size);
  if (size == 0 && !waiting.empty()) size = *waiting.rbegin() + 1;
  // One rank's own log tells nothing of the silence of others.
  for (int rank = 0; waiting.size() > 1 && rank < std::min(size, kMostAbsent); ++rank) {
    if (!waiting.contains(rank)) verdict.silent.push_back(rank);
  }
  return verdict;
}

}  // namespace sx
