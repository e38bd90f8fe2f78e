// A collective counts as waited for where its entry is not completed. The recorder forgets old
// entries; the count of the group tells of those.
#include "logs/flight_verdict.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "logs/nccl_verdict.h"

namespace sx {
namespace {

struct Member {
  const FlightDump* dump = nullptr;
  std::size_t group = 0;  // of the dump
  const FlightGroup& told() const { return dump->groups[group]; }
};

// Groups of one name may be several: on each host one of its own.
using GroupKey = std::pair<std::string, std::vector<int>>;

bool open(const FlightEntry& entry) { return entry.state != FlightEntry::State::Completed; }

const FlightEntry* first_open(const Member& member) {
  const FlightEntry* first = nullptr;
  for (const FlightEntry& entry : member.dump->entries) {
    if (entry.group == member.group && open(entry) &&
        (first == nullptr || entry.sequence < first->sequence))
      first = &entry;
  }
  return first;
}

// The last collective that this rank gave to its GPU.
std::int64_t farthest(const Member& member) {
  std::int64_t most = member.told().enqueued;
  for (const FlightEntry& entry : member.dump->entries) {
    if (entry.group == member.group) most = std::max(most, entry.sequence);
  }
  return most;
}

const FlightEntry* last_of(const Member& member) {
  const FlightEntry* last = nullptr;
  for (const FlightEntry& entry : member.dump->entries) {
    if (entry.group == member.group && (last == nullptr || entry.sequence >= last->sequence))
      last = &entry;
  }
  return last;
}

bool differs(const FlightEntry& a, const FlightEntry& b) {
  if (a.operation != b.operation) return true;
  // Sizes are the sender's: they may differ by design where only one rank gives.
  const bool same_for_all =
      a.operation.contains("all_reduce") || a.operation.contains("all_gather_into") ||
      a.operation.contains("reduce_scatter_tensor") || a.operation == "_all_gather_base" ||
      a.operation == "_reduce_scatter_base";
  return same_for_all && (a.sizes != b.sizes || a.dtype != b.dtype);
}

FlightVerdict verdict(const GroupKey& key, const std::vector<Member>& members) {
  FlightVerdict out{
      .group = key.first, .description = {}, .waiting = {}, .behind = {}, .absent = {}};
  std::set<int> there;
  for (const Member& member : members) {
    there.insert(member.dump->rank);
    if (out.description.empty()) out.description = member.told().description;
    const FlightEntry* const entry = first_open(member);
    if (entry != nullptr && (out.sequence < 0 || entry->sequence < out.sequence))
      out.sequence = entry->sequence;
  }
  if (out.sequence < 0) return out;
  for (const Member& member : members) {
    const auto& entries = member.dump->entries;
    const auto called = std::ranges::find_if(entries, [&](const FlightEntry& entry) {
      return entry.group == member.group && entry.sequence == out.sequence;
    });
    if (called != entries.end()) {
      out.waiting.push_back({member.dump, &*called});
    } else if (const std::int64_t last = farthest(member); last < out.sequence) {
      out.behind.push_back({member.dump, last, last_of(member)});
    }
  }
  std::ranges::sort(out.waiting, {}, [](const FlightCall& call) { return call.dump->rank; });
  std::ranges::sort(out.behind, {}, [](const FlightBehind& one) { return one.dump->rank; });
  out.unlike = std::ranges::any_of(out.waiting, [&](const FlightCall& call) {
    return differs(*call.entry, *out.waiting.front().entry);
  });
  const bool named = !there.contains(-1);
  for (const int rank : key.second) {
    if (named && !there.contains(rank)) out.absent.push_back(rank);
  }
  return out;
}

}  // namespace

std::vector<FlightVerdict> verdicts_of(const std::vector<FlightDump>& dumps) {
  std::map<GroupKey, std::vector<Member>> groups;
  for (const FlightDump& dump : dumps) {
    for (std::size_t i = 0; i < dump.groups.size(); ++i)
      groups[{dump.groups[i].name, dump.groups[i].ranks}].push_back({&dump, i});
  }
  std::vector<FlightVerdict> all;
  for (const auto& [key, members] : groups) {
    FlightVerdict one = verdict(key, members);
    if (one.sequence >= 0) all.push_back(std::move(one));
  }
  std::ranges::sort(all, [](const FlightVerdict& a, const FlightVerdict& b) {
    const auto weight = [](const FlightVerdict& one) {
      return std::tuple(one.behind.empty(), !one.unlike, -static_cast<int>(one.waiting.size()),
                        one.group);
    };
    return weight(a) < weight(b);
  });
  return all;
}

std::string rank_word(const FlightDump& dump) {
  return dump.rank >= 0 ? std::to_string(dump.rank) : dump.name;
}

std::string rank_words(const std::vector<const FlightDump*>& dumps) {
  constexpr std::size_t kMostNames = 8;  // what a line can hold
  std::vector<int> ranks;
  std::vector<std::string> names;
  for (const FlightDump* const dump : dumps) {
    if (dump->rank >= 0) {
      ranks.push_back(dump->rank);
    } else {
      names.push_back(dump->name);
    }
  }
  std::string out = rank_list(ranks);
  for (std::size_t i = 0; i < names.size() && i < kMostNames; ++i)
    out.append(out.empty() ? "" : ", ").append(names[i]);
  return out;
}

}  // namespace sx
