// Makes what runs equal to what should run. Pure: events and the time go in, actions come out;
// whoever owns it (run/daemon.h, a test) carries the actions out and brings back what happened.
#pragma once

#include <chrono>
#include <deque>
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
  std::string cause, words;
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
struct AskDown {};
struct AskRestart {
  int replica = 0;
};
struct AskDrain {
  int replica = 0;
};
// A replica that runs already, found by the journal after the daemon came back.
struct Adopted {
  Attempt of;
  ReplicaState state = ReplicaState::Ready;
};
struct Tick {};

using Event =
    std::variant<EngineStarted, NotStarted, StageReached, HealthTold, WarmedUp, Frozen, EngineEnded,
                 CauseFound, Released, Drained, AskDown, AskRestart, AskDrain, Adopted, Tick>;

// --- what is to be done ----------------------------------------------------------------------

struct StartEngine {
  Attempt of;
  const EngineLaunch* launch = nullptr;
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
struct LayoutProven {
  std::string label;
  bool good = false;
  std::string cause;
};
struct Finished {  // nothing is left to do: all stopped, or given up
  bool asked = false;
};

using Action = std::variant<StartEngine, AskHealth, WarmUp, DrainRequests, StopEngine, FindCause,
                            Release, PublishRoutes, LayoutProven, Finished>;

// --- what is shown ---------------------------------------------------------------------------

struct ReplicaView {
  int index = 0;
  ReplicaState state = ReplicaState::Planned;
  std::string stage;  // of Starting: "load", "capture" …
  int percent = -1;
  int starts = 0;                              // in this layout, since it last healed
  Attempt attempt;                             // the current or last one
  Moment since{};                              // in this state
  std::string cause, cause_code, cause_title;  // of the last failure
  std::string report;
  std::optional<Moment> next_try;
};

// One transition, for the journal and the API.
struct Transition {
  Moment at{};
  int replica = 0, start = 0;
  ReplicaState from, to;
  std::string reason;  // a word: "engine-ended", "health", "stalled", a cause's name
};

// Our own patience, each with its reason.
struct Patience {
  std::chrono::seconds start_stall{300};   // without any sign of progress; the longest silent stage
                                           // seen in logs of engines is compilation, minutes
  std::chrono::seconds warm_up{120};       // a first request may compile kernels
  std::chrono::seconds health_every{2};    // as long as a client would wait for a retry
  std::chrono::seconds starting_every{1};  // while it starts, readiness is worth a second
  int suspect_after = 3;                  // silent answers in a row: one lost packet is no sickness
  std::chrono::seconds wedged_after{60};  // suspect for so long
  std::chrono::seconds drain{30};         // requests in flight get so long
  std::chrono::seconds stop_slack{10};    // past the grace, before it is killed from here
};

class Supervisor {
 public:
  // The deployment must outlive it. `first`: the layout to begin with (known bad ones are skipped
  // by the caller); rungs are climbed first when `ladder`.
  Supervisor(const Deployment& deployment, Patience patience, std::size_t first, bool ladder);

  void begin(Moment now);  // starts what should run; not called when replicas are adopted
  void take(const Event& event, Moment now);
  std::vector<Action> actions();            // those since the last call, in order
  std::vector<Transition> transitions();    // likewise
  std::optional<Moment> next_wake() const;  // when a Tick is wanted at the latest

  const DeployedLayout& layout() const;
  std::size_t layout_index() const { return layout_; }
  bool on_ladder() const { return on_ladder_; }
  bool finished() const { return finished_; }
  bool going_down() const { return going_down_; }
  std::vector<ReplicaView> view() const;
  bool serves(int replica) const;  // takes new requests

 private:
  struct Replica {
    ReplicaView view;
    std::optional<Moment> ask_health, give_up;  // next question; end of patience with this state
    int silent = 0;                             // answers in a row that did not come
    std::optional<Moment> ready_from;           // of this start
    bool was_ready = false;                     // in this layout
    bool cause_asked = false, cause_known = false;
    bool released = true;      // nothing of an earlier engine is left
    bool ending = false;       // its engine was asked to end, or is being killed
    bool gone = true;          // no engine of it runs
    bool asked_again = false;  // restart wanted: planned again once stopped
    bool stays_down = false;   // drained or given up: not started again by itself
    CauseFound::Again again = CauseFound::Again::Maybe;
    bool of_layout = false;
    std::string reason;  // why we ended it
  };

  void handle(const EngineStarted& event, Moment now);
  void handle(const NotStarted& event, Moment now);
  void handle(const StageReached& event, Moment now);
  void handle(const HealthTold& event, Moment now);
  void handle(const WarmedUp& event, Moment now);
  void handle(const Frozen& event, Moment now);
  void handle(const EngineEnded& event, Moment now);
  void handle(const CauseFound& event, Moment now);
  void handle(const Released& event, Moment now);
  void handle(const Drained& event, Moment now);
  void handle(const AskDown& event, Moment now);
  void handle(const AskRestart& event, Moment now);
  void handle(const AskDrain& event, Moment now);
  void handle(const Adopted& event, Moment now);
  void handle(const Tick& event, Moment now);

  Replica* current(Attempt of);  // null: of an earlier start, or no such replica
  void go(Replica& replica, ReplicaState to, std::string reason, Moment now);
  void start(Replica& replica, Moment now);
  void end_for(Replica& replica, std::string reason, Moment now);  // kill what does not work
  void drain(Replica& replica, std::string reason, Moment now);
  void stop(Replica& replica, Moment now);
  void settle(Replica& replica, Moment now);  // after an end: try again, step down or give up
  void settle_layout(Moment now);
  void enter(std::size_t layout, bool ladder, Moment now);
  void leave_layout(Moment now);
  void look_at_patience(Replica& replica, Moment now);
  bool nothing_runs() const;
  std::optional<std::size_t> smaller_layout() const;

  const Deployment& deployment_;
  Patience patience_;
  std::size_t layout_ = 0;
  std::size_t first_ = 0;  // the layout that is to serve when the ladder is done
  bool on_ladder_ = false, finished_ = false, going_down_ = false, leaving_ = false;
  bool given_up_ = false;
  std::vector<Replica> replicas_;
  std::vector<Action> actions_;
  std::vector<Transition> transitions_;
};

}  // namespace sx
