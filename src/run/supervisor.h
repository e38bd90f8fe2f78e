// Makes what runs equal to what should run. Pure: events and the time go in, actions come out;
// whoever owns it (run/daemon.h, a test) carries the actions out and brings back what happened.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "run/supervisor_events.h"

namespace sx {

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
  // `first`: the layout to begin with; rungs with no more GPUs a
  // replica are climbed first when `ladder`. `left_out`: of each layout, whether it is known not to
  // work here; such a one does not stand in for another.
  Supervisor(Deployment deployment, Patience patience, std::size_t first, bool ladder,
             std::vector<bool> left_out = {});

  // A daemon came back in the middle of a reload. Before begin().
  struct Resumed {
    std::optional<Deployment> before{};  // to return to when it does not work; none: that is done
    std::size_t layout_before = 0;
    std::string cause{};  // why it goes back
  };
  void resume_change(Resumed change);
  // Models that an earlier daemon had given up: not tried before somebody asks. Before begin().
  void resume_given_up(std::map<std::string, ReplicaView> lost) { without_ = std::move(lost); }
  void begin(Moment now);  // starts what should run and was not adopted
  void take(const Event& event, Moment now);
  std::vector<Action> actions();            // those since the last call, in order
  std::vector<Transition> transitions();    // likewise
  std::optional<Moment> next_wake() const;  // when a Tick is wanted at the latest

  const Deployment& deployment() const { return deployment_; }
  const DeployedLayout& layout() const;
  std::size_t layout_index() const { return layout_; }
  bool on_ladder() const { return on_ladder_; }
  // Where a daemon that comes back goes on; nothing: it begins anew.
  std::optional<std::size_t> layout_to_resume() const {
    if (on_ladder_) return finished_ ? std::optional(first_) : std::nullopt;
    return layout_;
  }
  bool finished() const { return finished_; }
  bool going_down() const { return going_down_; }
  std::vector<ReplicaView> view() const;
  bool serves(int replica) const;  // takes new requests
  // Models that requests may wait for: a replica of it starts, comes back, or is about to.
  std::set<std::string> coming() const;
  // Whether a reload can be begun now: not while smaller layouts are proven or it goes down.
  bool may_change() const { return !going_down_ && (!on_ladder_ || finished_) && !leaving_; }
  // Models that cannot be had, with what was said of the replica that could not.
  std::map<std::string, ReplicaView> given_up() const;
  // Which layouts are known not to work here.
  const std::vector<bool>& left_out() const { return left_out_; }
  // How far a change of what should run is; nothing: none is under way.
  struct ChangeView {
    std::size_t waiting = 0, starting = 0, retiring = 0;  // replicas
    bool goes_back = false;                               // the new ones did not work
  };
  std::optional<ChangeView> change() const;

 private:
  struct Replica {
    ReplicaView view;
    EngineLaunch launch;
    bool newcomer = false;                      // of a change that is under way, and not ready yet
    std::optional<Moment> ask_health, give_up;  // next question; end of patience with this state
    int silent = 0;                             // answers in a row that did not come
    std::optional<Moment> ready_from;           // of this start
    bool was_ready = false;                     // in this layout
    bool cause_asked = false, cause_known = false, cause_named = false;
    int causes_to_come = 0;    // answers that were asked for
    bool released = true;      // nothing of an earlier engine is left
    bool ending = false;       // its engine was asked to end, or is being killed
    bool gone = true;          // no engine of it runs
    bool asked_again = false;  // restart wanted: planned again once stopped
    bool stays_down = false;   // drained or given up: not started again by itself
    CauseFound::Again again = CauseFound::Again::Maybe;
    bool of_layout = false;
    std::string reason;  // why we ended it
    bool hung = false;   // what was ended last stood still
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
  void handle(const AskReload& event, Moment now);
  void handle(const Adopted& event, Moment now);
  void handle(const Tick& event, Moment now);

  Replica* numbered(int replica);  // null: there is none
  Replica* current(Attempt of);    // null: of an earlier start, or no such replica
  Replica fresh(int number, const EngineLaunch& launch) const;
  void go(Replica& replica, ReplicaState to, std::string reason, Moment now);
  void start(Replica& replica, Moment now);
  void end_for(Replica& replica, std::string reason, Moment now);  // kill what does not work
  void drain(Replica& replica, std::string reason, Moment now);
  void stop(Replica& replica, Moment now);
  void kill(Replica& replica, Moment now);
  void ask_cause(Replica& replica, bool still_runs);
  void settle(Replica& replica, Moment now);  // after an end: try again, step down or give up
  void settle_layout(Moment now);
  bool settle_model(const std::string& model, Moment now);
  void tell_what_works();
  void give_up_if_all_are();
  void give_up_at_once(Replica& replica, const ReplicaView& lost, Moment now);
  bool given_up_before(Replica& replica, Moment now);
  void enter(std::size_t layout, bool ladder, Moment now);
  void leave_layout(Moment now);
  void leave_rung(Moment now);
  void look_at_patience(Replica& replica, Moment now);
  std::chrono::seconds stall_of(const Replica& replica) const;
  bool nothing_runs() const;
  bool something_follows() const;
  bool steps_down_after_change(const std::string& model) const;
  static bool comes(const Replica& replica);
  std::optional<std::size_t> smaller_layout(const std::string& model) const;
  // The one that cannot be had, for which its model steps down or is given up; null: none.
  const Replica* lost_of(const std::string& model) const;
  static bool hopeless(const Replica& lost);
  std::optional<std::size_t> layout_after(const Replica& lost) const;
  std::optional<std::size_t> rung_from(std::size_t rung) const;  // the next that proves something
  bool all_given_up() const;

  // Something else should run (supervisor_change.cpp).
  struct Change {
    std::deque<EngineLaunch> waiting;  // wanted, and not started yet
    std::optional<Deployment> before;  // to go back to; none: this is the way back
    std::size_t layout_before = 0;     // where it was
    std::vector<bool> left_out_before{};
    std::string cause{};  // why it goes back
    bool asked = true;    // by a reload; otherwise a step down of one of several models
    std::string model{};  // which one steps down; what runs of the others is left as it is
  };
  void retarget(Change change, Moment now);
  void keep(Replica& replica, Moment now);
  void turn(Moment now);
  void look_at_newcomers(Moment now);
  bool bury_the_retired();
  void retire_what_is_replaced(Moment now);
  bool start_what_waits(Moment now);
  void start_newcomer(const EngineLaunch& launch, Moment now);
  std::size_t newcomers() const;
  std::size_t serving_retired() const;
  int free_number() const;

  Deployment deployment_;
  Patience patience_;
  std::optional<Change> change_;
  bool begun_ = false;    // all that ran before was adopted
  int latest_start_ = 0;  // of all: a number that is used again goes on counting from here
  std::size_t layout_ = 0;
  std::size_t first_ = 0;  // the layout that is to serve when the ladder is done
  std::vector<bool> left_out_;
  bool on_ladder_ = false, finished_ = false, going_down_ = false, leaving_ = false;
  bool given_up_ = false;
  std::optional<ReplicaView> left_because_;     // of that; none: what is left has proven itself
  std::string left_for_;                        // the model whose replica could not be had
  std::set<std::string> rungs_done_;            // models whose further rungs prove nothing more
  std::map<std::string, ReplicaView> without_;  // models that cannot be had, with what was said
  std::vector<Replica> replicas_;
  std::vector<Action> actions_;
  std::vector<Transition> transitions_;
};

}  // namespace sx
