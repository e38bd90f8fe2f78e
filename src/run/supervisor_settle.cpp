// How a supervisor ends replicas, and what it does about those that ended: try again, leave the
// layout, or give up.
#include <algorithm>

#include "run/layout_models.h"
#include "run/supervisor.h"

namespace sx {

using enum ReplicaState;

// The engine runs and does not work: what its stacks say is worth a look before it is killed.
void Supervisor::end_for(Replica& replica, std::string reason, Moment now) {
  if (replica.ending || replica.gone) return;
  replica.reason = std::move(reason);
  replica.ending = true;
  replica.ask_health.reset();
  if (!replica.cause_asked) ask_cause(replica, true);
  actions_.emplace_back(StopEngine{.of = replica.view.attempt, .grace = std::chrono::seconds(0)});
  replica.give_up = now + patience_.stop_slack;
}

void Supervisor::ask_cause(Replica& replica, bool still_runs) {
  replica.cause_asked = true;
  replica.cause_known = false;
  ++replica.causes_to_come;
  actions_.emplace_back(FindCause{.of = replica.view.attempt, .still_runs = still_runs});
}

// Out of the routes, then its requests end, then it ends.
void Supervisor::drain(Replica& replica, std::string reason, Moment now) {
  switch (replica.view.state) {
    case Planned:
      go(replica, Stopped, std::move(reason), now);
      return;
    case Failed:
      if (replica.released && replica.cause_known) go(replica, Stopped, std::move(reason), now);
      return;  // otherwise settle() does it
    case Stopped:
      return;
    case Draining:
      return;
    default:
      break;
  }
  // A rung that was proven has had no requests but ours.
  const bool served = !on_ladder_ && (replica.view.state == Ready || replica.view.state == Suspect);
  const bool ending = replica.ending;
  go(replica, Draining, std::move(reason), now);
  replica.ask_health.reset();
  if (ending) {
    replica.give_up = now + patience_.stop_slack;
    return;
  }
  if (!served) {
    stop(replica, now);
    return;
  }
  actions_.emplace_back(DrainRequests{replica.view.attempt});
  replica.give_up = now + deployment_.patience.drain.value_or(patience_.drain);
}

void Supervisor::stop(Replica& replica, Moment now) {
  replica.ending = true;
  const auto grace = deployment_.restart.stop_grace;
  actions_.emplace_back(StopEngine{.of = replica.view.attempt, .grace = grace});
  replica.give_up = now + grace + patience_.stop_slack;
}

// Whatever it still does.
void Supervisor::kill(Replica& replica, Moment now) {
  replica.ending = true;
  actions_.emplace_back(StopEngine{.of = replica.view.attempt, .grace = std::chrono::seconds(0)});
  replica.give_up = now + patience_.stop_slack;
}

// Called when something about an ended engine became known; acts once all of it is.
void Supervisor::settle(Replica& replica, Moment now) {
  if (!replica.gone || !replica.released) return;
  ReplicaView& view = replica.view;
  if (view.state == Stopped) {
    if (replica.asked_again && !going_down_ && !leaving_ && !view.retires) {
      start(replica, now);
      return;
    }
    settle_layout(now);
    return;
  }
  if (view.state != Failed || !replica.cause_known || view.next_try) return;
  replica.hung = !replica.reason.empty();
  replica.reason.clear();
  if (going_down_ || leaving_ || replica.stays_down || view.retires) {
    go(replica, Stopped, "asked", now);
    settle_layout(now);
    return;
  }
  const RestartPolicy& policy = deployment_.restart;
  if (replica.asked_again ||
      (replica.again != CauseFound::Again::Never && view.starts < policy.tries)) {
    const auto waits = policy.backoff.size();
    const auto nth = static_cast<std::size_t>(std::max(view.starts - 1, 0));
    const auto wait = replica.asked_again || waits == 0 ? std::chrono::seconds(0)
                                                        : policy.backoff[std::min(nth, waits - 1)];
    view.next_try = now + wait;
    return;
  }
  replica.stays_down = true;
  actions_.emplace_back(PublishRoutes{});  // nobody is to wait for it any more
  settle_layout(now);
}

bool Supervisor::nothing_runs() const {
  return std::ranges::all_of(replicas_, [](const Replica& replica) {
    const ReplicaState state = replica.view.state;
    const bool ended = state == Stopped || state == Planned ||
                       (state == Failed && replica.stays_down && replica.cause_known);
    return ended && replica.gone && replica.released;
  });
}

// What the layout as a whole asks for after one of its replicas changed.
void Supervisor::settle_layout(Moment now) {
  if (finished_) return;
  if (going_down_) {
    if (nothing_runs()) {
      finished_ = true;
      actions_.emplace_back(Finished{.asked = true});
    }
    return;
  }
  if (leaving_) {
    if (nothing_runs()) leave_layout(now);
    return;
  }
  if (change_) return;  // turn() sees to it
  tell_what_works();
  const bool all_ready = std::ranges::all_of(
      replicas_, [](const Replica& replica) { return replica.view.state == Ready; });
  if (on_ladder_ && all_ready) {
    leaving_ = true;
    left_because_.reset();
    for (Replica& replica : replicas_) drain(replica, "rung-proven", now);
    return;
  }
  for (const std::string& model : models_of(layout())) {
    if (!without_.contains(model) && settle_model(model, now)) return;
  }
  give_up_if_all_are();
}

void Supervisor::tell_what_works() {
  for (const std::string& model : models_of(layout())) {
    const bool works = std::ranges::all_of(replicas_, [&](const Replica& replica) {
      return replica.launch.model != model || replica.view.state == Ready;
    });
    if (!works) continue;
    actions_.emplace_back(LayoutProven{
        .rung = on_ladder_, .layout = layout_, .model = model, .good = true, .cause = ""});
  }
}

const Supervisor::Replica* Supervisor::lost_of(const std::string& model) const {
  const auto lost = std::ranges::find_if(replicas_, [&](const Replica& replica) {
    return replica.launch.model == model && replica.view.state == Failed && replica.stays_down &&
           replica.cause_known && replica.released;  // one that somebody drains is not lost
  });
  return lost == replicas_.end() ? nullptr : &*lost;
}

// No other layout helps.
bool Supervisor::hopeless(const Replica& lost) {
  return lost.again == CauseFound::Again::Never && !lost.of_layout;
}

std::optional<std::size_t> Supervisor::layout_after(const Replica& lost) const {
  return hopeless(lost) ? std::nullopt : smaller_layout(lost.launch.model);
}

// A model whose replica cannot be had steps down, or is given up; what runs of the others goes on.
// True: what should run has changed.
bool Supervisor::settle_model(const std::string& model, Moment now) {
  const Replica* lost = lost_of(model);
  if (lost == nullptr) return false;
  // While others serve the same, or may yet, one that cannot be had is no reason to stop them.
  const bool others = std::ranges::any_of(replicas_, [&](const Replica& replica) {
    return replica.launch.model == model && replica.was_ready &&
           (replica.view.state == Ready || comes(replica));
  });
  if (others && !on_ladder_) return false;
  const auto next = layout_after(*lost);
  actions_.emplace_back(LayoutProven{.rung = on_ladder_,
                                     .layout = layout_,
                                     .model = model,
                                     .good = false,
                                     .cause = lost->view.cause,
                                     .hung = lost->hung});
  if (!on_ladder_ && models_of(layout()).size() > 1) {
    if (!next) {
      without_.insert_or_assign(model, lost->view);
      return false;
    }
    layout_ = *next;
    retarget({.waiting = {}, .before = {}, .asked = false, .model = model}, now);
    return true;
  }
  given_up_ = hopeless(*lost);
  left_for_ = model;
  left_because_ = lost->view;
  leaving_ = true;
  for (Replica& replica : replicas_) {
    replica.view.next_try.reset();
    replica.asked_again = false;  // what follows starts all that it needs
    if (&replica != lost) drain(replica, "layout-left", now);
  }
  if (nothing_runs()) leave_layout(now);
  return true;
}

}  // namespace sx
