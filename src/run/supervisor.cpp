// The supervisor: what each event means in each state. How failures are settled is in
// supervisor_settle.cpp, how one set of replicas turns into another in supervisor_change.cpp.
#include "run/supervisor.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/check.h"

namespace sx {

using enum ReplicaState;

Supervisor::Supervisor(Deployment deployment, Patience patience, std::size_t first, bool ladder,
                       std::vector<bool> left_out)
    : deployment_(std::move(deployment)),
      patience_(std::move(patience)),
      first_(first),
      left_out_(std::move(left_out)) {
  SX_ASSERT(first < deployment_.layouts.size());
  const auto rung = ladder ? rung_from(0) : std::nullopt;
  on_ladder_ = rung.has_value();
  layout_ = rung.value_or(first);
  for (const EngineLaunch& launch : layout().replicas)
    replicas_.push_back(fresh(static_cast<int>(replicas_.size()), launch));
}

Supervisor::Replica Supervisor::fresh(int number, const EngineLaunch& launch) const {
  Replica replica;
  replica.view.index = number;
  replica.view.attempt = {.replica = number, .start = latest_start_};
  replica.launch = launch;
  return replica;
}

const DeployedLayout& Supervisor::layout() const {
  return on_ladder_ ? deployment_.rungs.at(layout_) : deployment_.layouts.at(layout_);
}

void Supervisor::take(const Event& event, Moment now) {
  std::visit([&](const auto& one) { handle(one, now); }, event);
  turn(now);
}

std::vector<Action> Supervisor::actions() { return std::exchange(actions_, {}); }

std::vector<Transition> Supervisor::transitions() { return std::exchange(transitions_, {}); }

std::vector<ReplicaView> Supervisor::view() const {
  std::vector<ReplicaView> all;
  for (const Replica& replica : replicas_) {
    all.push_back(replica.view);
    all.back().launch = &replica.launch;
  }
  return all;
}

bool Supervisor::serves(int number) const {
  return !on_ladder_ && std::ranges::any_of(replicas_, [&](const Replica& replica) {
    return replica.view.index == number && replica.view.state == Ready;
  });
}

std::optional<Moment> Supervisor::next_wake() const {
  std::optional<Moment> next;
  const auto consider = [&](const std::optional<Moment>& moment) {
    if (moment && (!next || *moment < *next)) next = moment;
  };
  for (const Replica& replica : replicas_) {
    consider(replica.ask_health);
    consider(replica.give_up);
    consider(replica.view.next_try);
  }
  return next;
}

Supervisor::Replica* Supervisor::numbered(int number) {
  const auto found = std::ranges::find_if(
      replicas_, [&](const Replica& replica) { return replica.view.index == number; });
  return found == replicas_.end() ? nullptr : &*found;
}

Supervisor::Replica* Supervisor::current(Attempt of) {
  Replica* replica = numbered(of.replica);
  return replica != nullptr && replica->view.attempt == of ? replica : nullptr;
}

void Supervisor::go(Replica& replica, ReplicaState to, std::string reason, Moment now) {
  const ReplicaState from = replica.view.state;
  SX_ASSERT(may_follow(from, to));
  replica.view.state = to;
  replica.view.since = now;
  replica.view.stage.clear();
  replica.view.percent = -1;
  replica.silent = 0;
  replica.give_up.reset();
  if (to == Ready && !replica.ready_from) replica.ready_from = now;
  const bool asks = to == Starting || to == Ready || to == Suspect;
  replica.ask_health.reset();
  if (asks)
    replica.ask_health = now + (to == Starting ? patience_.starting_every : patience_.health_every);
  transitions_.push_back({.at = now,
                          .replica = replica.view.index,
                          .start = replica.view.attempt.start,
                          .from = from,
                          .to = to,
                          .reason = std::move(reason)});
  if (from == Ready || to == Ready) actions_.emplace_back(PublishRoutes{});
}

// Plans it where it is not, and starts it.
void Supervisor::start(Replica& replica, Moment now) {
  ReplicaView& view = replica.view;
  if (view.state != Planned) go(replica, Planned, "again", now);
  view.next_try.reset();
  view.attempt = {.replica = view.index, .start = view.attempt.start + 1};
  view.starts += 1;
  latest_start_ = std::max(latest_start_, view.attempt.start);
  replica.ready_from.reset();
  replica.cause_asked = replica.cause_known = replica.cause_named = replica.released = false;
  replica.causes_to_come = 0;
  replica.ending = replica.gone = replica.asked_again = replica.stays_down = false;
  go(replica, Starting, "start", now);
  replica.give_up = now + stall_of(replica);
  actions_.emplace_back(StartEngine{.of = view.attempt, .launch = replica.launch});
}

// Without any sign of progress, in the stage that it is in.
std::chrono::seconds Supervisor::stall_of(const Replica& replica) const {
  const auto& stages = deployment_.patience.stages;
  const auto found = stages.find(replica.view.stage);
  if (found != stages.end()) return found->second;
  return deployment_.patience.stall.value_or(patience_.start_stall);
}

void Supervisor::handle(const EngineStarted& event, Moment now) {
  Replica* replica = current(event.of);
  if (replica == nullptr || replica->view.state != Starting) return;
  replica->give_up = now + stall_of(*replica);
}

void Supervisor::handle(const NotStarted& event, Moment now) {
  Replica* replica = current(event.of);
  if (replica == nullptr || replica->gone) return;
  if (replica->view.state == Draining) {  // asked to end before it was known
    handle(EngineEnded{.of = event.of, .code = {}, .signal = {}}, now);
    return;
  }
  replica->gone = replica->cause_asked = replica->cause_known = true;
  replica->again = event.again ? CauseFound::Again::AfterRelease : CauseFound::Again::Never;
  replica->of_layout = false;
  replica->view.cause = event.cause;
  replica->view.cause_code.clear();
  replica->view.cause_title = event.words.english;
  replica->view.cause_title_chinese = event.words.chinese;
  go(*replica, Failed, event.cause, now);
  actions_.emplace_back(Release{event.of});
}

void Supervisor::handle(const StageReached& event, Moment now) {
  Replica* replica = current(event.of);
  if (replica == nullptr || replica->view.state != Starting) return;
  if (!event.stage.empty() && event.stage != replica->view.stage) {
    replica->view.stage = event.stage;
    replica->view.percent = -1;
  }
  if (event.percent >= 0) replica->view.percent = event.percent;
  replica->give_up = now + stall_of(*replica);
}

void Supervisor::handle(const HealthTold& event, Moment now) {
  Replica* replica = current(event.of);
  if (replica == nullptr || replica->ending) return;
  const bool good = event.is == HealthTold::Is::Ready;
  switch (replica->view.state) {
    case Starting:
      if (!good) return;
      go(*replica, Warming, "healthy", now);
      replica->give_up = now + deployment_.patience.warm_up.value_or(patience_.warm_up);
      actions_.emplace_back(WarmUp{event.of});
      return;
    case Ready:
      replica->silent = good ? 0 : replica->silent + 1;
      if (replica->silent >= patience_.suspect_after) {
        go(*replica, Suspect, "health", now);
        replica->give_up = now + patience_.wedged_after;
      }
      return;
    case Suspect:
      if (good) go(*replica, Ready, "healthy", now);
      return;
    default:
      return;
  }
}

void Supervisor::handle(const WarmedUp& event, Moment now) {
  Replica* replica = current(event.of);
  if (replica == nullptr || replica->view.state != Warming || replica->ending) return;
  if (!event.good) {
    end_for(*replica, "warm-up", now);
    return;
  }
  replica->was_ready = true;
  without_.erase(replica->launch.model);
  replica->view.cause.clear();
  replica->view.cause_code.clear();
  replica->view.cause_title.clear();
  replica->view.cause_title_chinese.clear();
  go(*replica, Ready, "warmed-up", now);
  settle_layout(now);
}

// Standing still is worse than silence: nobody is served, and waiting does not help.
void Supervisor::handle(const Frozen& event, Moment now) {
  Replica* replica = current(event.of);
  if (replica == nullptr || replica->ending) return;
  if (replica->view.state == Ready) go(*replica, Suspect, "frozen", now);
  if (replica->view.state != Suspect) return;
  go(*replica, Wedged, "frozen", now);
  end_for(*replica, "frozen", now);
}

void Supervisor::handle(const EngineEnded& event, Moment now) {
  Replica* replica = current(event.of);
  if (replica == nullptr || replica->gone) return;
  replica->gone = true;
  if (replica->view.state == Draining) {
    go(*replica, Stopped, "asked", now);
    actions_.emplace_back(Release{event.of});
    return;
  }
  const bool healed =
      replica->ready_from && now - *replica->ready_from >= deployment_.restart.healed;
  if (healed) replica->view.starts = 1;
  const bool lost = !event.code && !event.signal;
  go(*replica, Failed,
     lost                      ? "keeper-lost"
     : replica->reason.empty() ? "ended"
                               : replica->reason,
     now);
  // One that ended by itself while we looked why it does not work has said more by now.
  const bool by_itself = !lost && event.signal != SIGKILL;
  if (!replica->cause_asked || (by_itself && !replica->cause_named)) ask_cause(*replica, false);
  actions_.emplace_back(Release{event.of});
}

void Supervisor::handle(const CauseFound& event, Moment now) {
  Replica* replica = current(event.of);
  if (replica == nullptr || replica->causes_to_come == 0) return;
  --replica->causes_to_come;
  if (replica->cause_known || (event.name.empty() && replica->causes_to_come > 0)) return;
  replica->cause_known = true;
  replica->cause_named = !event.name.empty();
  replica->again = event.again;
  replica->of_layout = event.of_layout;
  replica->view.cause = event.name.empty() ? replica->reason : event.name;
  replica->view.cause_code = event.code;
  replica->view.cause_title = event.title;
  replica->view.cause_title_chinese = event.title_chinese;
  replica->view.report = event.report;
  settle(*replica, now);
}

void Supervisor::handle(const Released& event, Moment now) {
  Replica* replica = current(event.of);
  if (replica == nullptr || !replica->gone || replica->released) return;
  replica->released = true;
  settle(*replica, now);
}

void Supervisor::handle(const Drained& event, Moment now) {
  Replica* replica = current(event.of);
  if (replica == nullptr || replica->view.state != Draining || replica->ending) return;
  stop(*replica, now);
}

void Supervisor::handle(const AskDown& event, Moment now) {
  going_down_ = true;
  finished_ = false;
  change_.reset();
  for (Replica& replica : replicas_) {
    replica.view.next_try.reset();
    drain(replica, "down", now);
    if (event.at_once && !replica.gone) kill(replica, now);
  }
  settle_layout(now);
}

void Supervisor::handle(const AskRestart& event, Moment now) {
  Replica* replica = numbered(event.replica);
  if (going_down_ || leaving_ || replica == nullptr || replica->view.retires) return;
  replica->view.starts = 0;
  replica->stays_down = false;
  given_up_ = finished_ = false;
  without_.erase(replica->launch.model);
  if (replica->gone && (replica->view.state == Stopped || replica->view.state == Failed) &&
      replica->released) {
    start(*replica, now);
    return;
  }
  replica->asked_again = true;
  drain(*replica, "restart", now);
}

void Supervisor::handle(const AskDrain& event, Moment now) {
  Replica* replica = numbered(event.replica);
  if (replica == nullptr) return;
  replica->stays_down = true;
  replica->view.next_try.reset();
  drain(*replica, "drain", now);
  settle_layout(now);  // it may have been the last one that was worth waiting for
}

void Supervisor::handle(const Tick&, Moment now) {
  for (Replica& replica : replicas_) {
    if (replica.ask_health && *replica.ask_health <= now) {
      replica.ask_health = now + (replica.view.state == Starting ? patience_.starting_every
                                                                 : patience_.health_every);
      actions_.emplace_back(AskHealth{replica.view.attempt});
    }
    look_at_patience(replica, now);
  }
}

void Supervisor::look_at_patience(Replica& replica, Moment now) {
  if (replica.view.next_try && *replica.view.next_try <= now) {
    start(replica, now);
    return;
  }
  if (!replica.give_up || *replica.give_up > now) return;
  replica.give_up.reset();
  if (replica.ending && !replica.gone) {  // it was asked to end, and did not
    actions_.emplace_back(StopEngine{.of = replica.view.attempt, .grace = std::chrono::seconds(0)});
    replica.give_up = now + patience_.stop_slack;
    return;
  }
  switch (replica.view.state) {
    case Starting:
      end_for(replica, "stalled", now);
      return;
    case Warming:
      end_for(replica, "warm-up", now);
      return;
    case Draining:
      stop(replica, now);
      return;
    case Suspect:
      go(replica, Wedged, "silent", now);
      end_for(replica, "wedged", now);
      return;
    default:
      return;
  }
}

}  // namespace sx
