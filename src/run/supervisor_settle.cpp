// How a supervisor ends replicas, and what it does about those that ended: try again, take the next
// layout, climb the next rung, or give up.
#include <algorithm>
#include <iterator>

#include "run/supervisor.h"

namespace sx {

using enum ReplicaState;

// The engine runs and does not work: what its stacks say is worth a look before it is killed.
void Supervisor::end_for(Replica& replica, std::string reason, Moment now) {
  if (replica.ending || replica.gone) return;
  replica.reason = std::move(reason);
  replica.ending = true;
  replica.ask_health.reset();
  if (!replica.cause_asked) {
    replica.cause_asked = true;
    actions_.emplace_back(FindCause{.of = replica.view.attempt, .still_runs = true});
  }
  actions_.emplace_back(StopEngine{.of = replica.view.attempt, .grace = std::chrono::seconds(0)});
  replica.give_up = now + patience_.stop_slack;
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
  const auto is = [&](ReplicaState state) {
    return [state](const Replica& replica) { return replica.view.state == state; };
  };
  if (std::ranges::all_of(replicas_, is(Ready))) {
    actions_.emplace_back(
        LayoutProven{.rung = on_ladder_, .layout = layout_, .good = true, .cause = ""});
    if (on_ladder_) {
      leaving_ = true;
      for (Replica& replica : replicas_) drain(replica, "rung-proven", now);
    }
    return;
  }
  const auto lost = std::ranges::find_if(replicas_, [](const Replica& replica) {
    return replica.view.state == Failed && replica.stays_down && replica.released;
  });
  if (lost == replicas_.end()) return;
  // While others serve the same, or may yet, one that cannot be had is no reason to stop them.
  const std::string model = lost->launch.model;
  const bool others = std::ranges::any_of(replicas_, [&](const Replica& replica) {
    return replica.launch.model == model && replica.was_ready && replica.view.state != Failed &&
           replica.view.state != Stopped;
  });
  if (others && !on_ladder_) return;
  const bool hopeless = lost->again == CauseFound::Again::Never && !lost->of_layout;
  const auto next = hopeless ? std::nullopt : smaller_layout(model);
  // Other models are no part of this: what runs of them goes on.
  const bool strangers = !on_ladder_ && std::ranges::any_of(replicas_, [&](const Replica& one) {
    const bool ended = one.view.state == Failed && one.stays_down;
    return one.launch.model != model && one.view.state != Stopped && !ended;
  });
  if (strangers && !next) return;
  actions_.emplace_back(LayoutProven{.rung = on_ladder_,
                                     .layout = layout_,
                                     .good = false,
                                     .cause = lost->view.cause,
                                     .hung = lost->hung});
  if (strangers) {
    layout_ = *next;
    retarget({.waiting = {}, .before = {}, .asked = false}, now);
    return;
  }
  given_up_ = hopeless;
  left_for_ = model;
  leaving_ = true;
  for (Replica& replica : replicas_) {
    replica.view.next_try.reset();
    if (&replica != &*lost) drain(replica, "layout-left", now);
  }
  if (nothing_runs()) leave_layout(now);
}

namespace {

// Of a replica of that model.
std::size_t gpus_of(const DeployedLayout& layout, const std::string& model) {
  std::size_t most = 0;
  for (const EngineLaunch& launch : layout.replicas)
    most = std::max(most, launch.model == model ? launch.gpus.size() : 0);
  return most;
}

}  // namespace

// What stands in for the layout at hand: the next one of the list. A rung of the ladder that did
// not work says that nothing with as many GPUs a replica will. Where several models run, the others
// stay as they are.
std::optional<std::size_t> Supervisor::smaller_layout(const std::string& model) const {
  const auto of_others = [&](const DeployedLayout& layout) {
    std::vector<EngineLaunch> all;
    std::ranges::copy_if(layout.replicas, std::back_inserter(all),
                         [&](const EngineLaunch& launch) { return launch.model != model; });
    return all;
  };
  const std::size_t from = on_ladder_ ? first_ : layout_;
  const auto same = of_others(deployment_.layouts.at(from));
  for (std::size_t i = from + 1; i < deployment_.layouts.size(); ++i) {
    if (i < left_out_.size() && left_out_[i]) continue;
    const DeployedLayout& next = deployment_.layouts[i];
    const bool smaller = gpus_of(next, model) < gpus_of(layout(), model);
    if (of_others(next) == same && (!on_ladder_ || smaller)) return i;
  }
  return std::nullopt;
}

// The smallest stand first; one that is larger than the layout to serve proves nothing for it.
std::size_t Supervisor::rungs() const {
  const DeployedLayout& first = deployment_.layouts.at(first_);
  const auto larger = std::ranges::find_if(deployment_.rungs, [&](const DeployedLayout& rung) {
    const std::string model = rung.replicas.empty() ? "" : rung.replicas.front().model;
    return gpus_of(rung, model) > gpus_of(first, model);
  });
  return static_cast<std::size_t>(larger - deployment_.rungs.begin());
}

// Nothing of this layout runs any more: the next one, if there is one that may help.
void Supervisor::leave_layout(Moment now) {
  leaving_ = false;
  const bool proven = std::ranges::none_of(
      replicas_, [](const Replica& replica) { return replica.view.state == Failed; });
  if (!given_up_ && on_ladder_ && proven) {
    const bool more = layout_ + 1 < rungs();
    enter(more ? layout_ + 1 : first_, more, now);
    return;
  }
  if (const auto next = given_up_ ? std::nullopt : smaller_layout(left_for_)) {
    enter(*next, false, now);
    return;
  }
  finished_ = true;
  actions_.emplace_back(Finished{.asked = false});
}

void Supervisor::enter(std::size_t layout, bool ladder, Moment now) {
  layout_ = layout;
  on_ladder_ = ladder;
  // Starts go on counting, so that what is late of an earlier layout is not taken for this one's.
  replicas_.clear();
  for (const EngineLaunch& launch : this->layout().replicas)
    replicas_.push_back(fresh(static_cast<int>(replicas_.size()), launch));
  for (Replica& replica : replicas_) start(replica, now);
}

}  // namespace sx
