// The states of a replica and the only ways between them. One writer, the supervisor, changes them.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/both.h"

namespace sx {

enum class ReplicaState : std::uint8_t {
  Planned,   // shall run; nothing of it does
  Starting,  // its engine runs and is not ready; how far it is stands beside it
  Warming,   // the engine says it is ready, one request of ours proves it
  Ready,     // takes requests; being full is a property of Ready, not a state
  Suspect,   // does not answer, or makes no progress; no new requests
  Wedged,    // makes no progress for too long: it will be ended
  Draining,  // takes no new requests, and ends
  Stopped,   // ended because it was asked to
  Failed,    // ended by itself or by us for not working; the cause stands beside it
};
inline constexpr int kReplicaStates = 9;

// The word of the API and the journal: "starting".
std::string_view word_of(ReplicaState state);
// For people: "starting", "启动中".
Both name_of(ReplicaState state);

// Whether `to` may come directly after `from`. A state never follows itself.
bool may_follow(ReplicaState from, ReplicaState to);

}  // namespace sx
