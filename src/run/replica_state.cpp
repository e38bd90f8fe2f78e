// The table of legal transitions, one row a state.
#include "run/replica_state.h"

#include <array>
#include <string>

namespace sx {
namespace {

constexpr unsigned bit(ReplicaState state) { return 1U << static_cast<unsigned>(state); }

template <class... States>
constexpr unsigned any_of(States... states) {
  return (bit(states) | ...);
}

struct Row {
  std::string_view word, chinese;
  unsigned next;
};

using enum ReplicaState;

// In the order of the enumeration.
constexpr std::array<Row, kReplicaStates> kRows{{
    {"planned", "待启动", any_of(Starting, Stopped, Failed)},
    {"starting", "启动中", any_of(Warming, Draining, Failed)},
    {"warming", "预热中", any_of(Ready, Draining, Failed)},
    {"ready", "就绪", any_of(Suspect, Draining, Failed)},
    {"suspect", "疑似异常", any_of(Ready, Wedged, Draining, Failed)},
    {"wedged", "假死", any_of(Draining, Failed)},
    {"draining", "排空中", any_of(Stopped, Failed)},
    {"stopped", "已停止", any_of(Planned)},
    {"failed", "已失败", any_of(Planned, Stopped)},
}};

const Row& row_of(ReplicaState state) { return kRows.at(static_cast<std::size_t>(state)); }

}  // namespace

std::string_view word_of(ReplicaState state) { return row_of(state).word; }

Both name_of(ReplicaState state) {
  const Row& row = row_of(state);
  return {std::string(row.word), std::string(row.chinese)};
}

bool may_follow(ReplicaState from, ReplicaState to) { return (row_of(from).next & bit(to)) != 0; }

}  // namespace sx
