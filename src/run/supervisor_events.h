// What a supervisor is told, what it asks for and what it shows: words between it and its owner.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "run/deployment.h"
#include "run/replica_state.h"

namespace sx {

// Since any fixed moment; never goes backwards (a monotonic clock).
using Moment = std::chrono::milliseconds;

// Which replica, and which of its starts: what belongs to an earlier start is passed over.
struct Attempt {
  int replica = 0;
  int start = 0;
  bool operator==(const Attempt&) const = default;
};

// --- what happened ---------------------------------------------------------------------------

struct EngineStarted {
  Attempt of;
};
struct NotStarted {  // it could not even be started
  Attempt of;
  std::string cause;
  Both words;
  bool again = false;  // it may work later, or not
};
struct StageReached {  // by its log, or anything else that shows progress; `stage` may be the same
  Attempt of;
  std::string stage;
  int percent = -1;  // of the stage; -1: not told
};
struct HealthTold {
  Attempt of;
  enum class Is { Ready, Loading, Refused, Silent, Sick } is;
};
struct WarmedUp {
  Attempt of;
  bool good = false;
  std::string words;  // why it is not
};
struct Frozen {  // its progress counters stand still while requests run
  Attempt of;
  std::chrono::seconds since;
};
struct EngineEnded {
  Attempt of;
  std::optional<int> code, signal;  // neither: the keeper was lost and took the answer along
};
struct CauseFound {
  Attempt of;
  std::string name, code, title;                          // empty name: nothing was found
  std::string title_chinese;                              // empty: as the cause is called
  enum class Again { Maybe, AfterRelease, Never } again;  // whether the same start can work later
  bool of_layout = false;  // another layout may do what this one cannot
  std::string report;      // path
};
struct Released {  // nothing of it is left: no process, no port, no memory of a card
  Attempt of;
};
struct Drained {
  Attempt of;
};
struct AskDown {
  bool at_once = false;  // without waiting for requests or for engines that end slowly
};
struct AskRestart {
  int replica = 0;
};
struct AskDrain {
  int replica = 0;
};
// Something else should run from now on. Passed over unless `may_change()`.
struct AskReload {
  Deployment wanted;
  std::size_t layout = 0;        // of it, to begin with
  std::vector<bool> left_out{};  // of each layout: known not to work here
  bool ladder = false;           // its rungs come first, where nothing runs
};
// A replica that runs already, found by the journal after the daemon came back. It is that one of
// the wanted ones that is launched in the same way, whatever its number; one that nobody wants is
// replaced. A launch without words: that of the replica with this number.
struct Adopted {
  Attempt of;
  ReplicaState state = ReplicaState::Ready;
  EngineLaunch launch{};
};
struct Tick {};

using Event = std::variant<EngineStarted, NotStarted, StageReached, HealthTold, WarmedUp, Frozen,
                           EngineEnded, CauseFound, Released, Drained, AskDown, AskRestart,
                           AskDrain, AskReload, Adopted, Tick>;

// --- what is to be done ----------------------------------------------------------------------

struct StartEngine {
  Attempt of;
  EngineLaunch launch;
};
struct AskHealth {
  Attempt of;
};
struct WarmUp {
  Attempt of;
};
struct DrainRequests {  // take it out of the routes, say Drained when its requests have ended
  Attempt of;
};
struct StopEngine {
  Attempt of;
  std::chrono::seconds grace;  // 0: killed at once
};
struct FindCause {  // with what the engine left; `still_runs`: its stacks can be taken
  Attempt of;
  bool still_runs = false;
};
struct Release {  // see that nothing is left, end what is
  Attempt of;
};
struct PublishRoutes {};  // the states changed in a way that the gateway must know
struct LayoutProven {     // for one of its models
  bool rung = false;      // of the ladder
  std::size_t layout = 0;
  std::string model{};
  bool good = false;
  std::string cause;
  bool hung = false;  // it did not end by itself: it stood still
};
struct Buried {  // nothing of it is wanted any more: its records can go, its number is free
  int replica = 0;
};
struct TurnedBack {  // a reload does not work: what ran before is wanted again
  std::string cause;
};
struct Changed {  // a reload came to its end: `good`, or everything is as it was before
  bool good = false;
  std::string cause;  // of the replica that did not become ready
};
struct Finished {  // nothing is left to do: all stopped, or given up
  bool asked = false;
};

using Action =
    std::variant<StartEngine, AskHealth, WarmUp, DrainRequests, StopEngine, FindCause, Release,
                 PublishRoutes, LayoutProven, Buried, TurnedBack, Changed, Finished>;

// --- what is shown ---------------------------------------------------------------------------

struct ReplicaView {
  int index = 0;
  ReplicaState state = ReplicaState::Planned;
  std::string stage;  // of Starting: "load", "capture" …
  int percent = -1;
  int starts = 0;                 // in this layout, since it last healed
  Attempt attempt;                // the current or last one
  Moment since{};                 // in this state
  std::string cause, cause_code;  // of the last failure
  std::string cause_title, cause_title_chinese;
  std::string report;
  std::optional<Moment> next_try;
  bool retires = false;                  // not wanted any more: it ends once it is replaced
  const EngineLaunch* launch = nullptr;  // until the supervisor is told the next thing
};

// One transition, for the journal and the API.
struct Transition {
  Moment at{};
  int replica = 0, start = 0;
  ReplicaState from, to;
  std::string reason;  // a word: "engine-ended", "health", "stalled", a cause's name
};

}  // namespace sx
