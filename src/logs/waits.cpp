// The main thread speaks for its process; front ends that only serve are no ranks.
#include "logs/waits.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace sx {
namespace {

bool in_group(const Wait& wait) {
  return wait.row != nullptr &&
         (wait.row->kind == WaitKind::Collective || wait.row->kind == WaitKind::Join ||
          wait.row->kind == WaitKind::Receive || wait.row->kind == WaitKind::Device);
}

Wait wait_of(const StackProcess& process, const StackThread& thread) {
  Wait wait{.process = &process, .thread = &thread};
  for (const StackFrame& frame : thread.frames) {
    const StackFrameRow* const row = find_stack_frame(frame.name, frame.where);
    if (row == nullptr || (wait.row != nullptr && row->weight <= wait.row->weight)) continue;
    wait.row = row;
    wait.frame = &frame;
  }
  if (wait.frame == nullptr && !thread.frames.empty()) wait.frame = &thread.frames.front();
  return wait;
}

// The main thread where it is told; else the thread that says most.
Wait wait_of(const StackProcess& process) {
  Wait best{.process = &process};
  for (const StackThread& thread : process.threads) {
    const Wait one = wait_of(process, thread);
    if (thread.main && one.frame != nullptr) return one;
    const int weight = one.row == nullptr ? 0 : one.row->weight;
    const int before = best.row == nullptr ? -1 : best.row->weight;
    if (one.frame != nullptr && weight > before) best = one;
  }
  return best;
}

// Where it waits, for comparing: kind and function.
std::pair<int, std::string_view> spot(const Wait& wait) {
  if (wait.row == nullptr) return {-1, wait.frame->name};
  const bool exact = wait.row->kind == WaitKind::Collective;
  return {static_cast<int>(wait.row->kind), exact ? wait.row->name : std::string_view()};
}

}  // namespace

Waits waits_of(const StackLog& log) {
  Waits waits;
  for (const StackProcess& process : log.processes) {
    const Wait one = wait_of(process);
    if (one.frame != nullptr) waits.all.push_back(one);
  }
  std::ranges::sort(waits.all, [](const Wait& a, const Wait& b) {
    const auto key = [](const Wait& wait) {
      const int rank = wait.process->rank;
      return std::tuple(rank < 0 ? 1 : 0, rank, wait.process->at.file, wait.process->at.line);
    };
    return key(a) < key(b);
  });
  std::vector<std::size_t> ranks;
  const bool named =
      std::ranges::any_of(waits.all, [](const Wait& wait) { return wait.process->rank >= 0; });
  std::map<std::pair<int, std::string_view>, std::vector<std::size_t>> spots;
  for (std::size_t i = 0; i < waits.all.size(); ++i) {
    const Wait& wait = waits.all[i];
    if (wait.row != nullptr && wait.row->kind == WaitKind::Serve) continue;
    if (named && wait.process->rank < 0) continue;
    ranks.push_back(i);
    spots[spot(wait)].push_back(i);
  }
  if (ranks.size() < 2) return waits;
  const auto most =
      std::ranges::max_element(spots, {}, [](const auto& one) { return one.second.size(); });
  const Wait& sample = waits.all[most->second.front()];
  const bool all_in_group =
      std::ranges::all_of(ranks, [&](std::size_t i) { return in_group(waits.all[i]); });
  if (spots.size() == 1) {
    waits.together = in_group(sample);
    waits.most = most->second.front();
  } else if (all_in_group) {
    waits.out_of_step = true;
  }
  // With two ranks there is no majority: the one that is in a collective waits for the other.
  const bool pair = ranks.size() == 2 && spots.size() == 2;
  if (spots.size() < 2 || waits.out_of_step) return waits;
  std::optional<std::size_t> group;
  if (in_group(sample)) group = most->second.front();
  for (const std::size_t i : ranks) {
    if (pair && !group && in_group(waits.all[i])) group = i;
  }
  if (!group || (!pair && most->second.size() * 2 <= ranks.size())) return waits;
  waits.most = group;
  for (const std::size_t i : ranks) {
    if (!in_group(waits.all[i])) waits.behind.push_back(i);
  }
  return waits;
}

}  // namespace sx
