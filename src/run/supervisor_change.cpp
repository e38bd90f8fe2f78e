// How a supervisor turns one set of replicas into another while it serves: what stays the same goes
// on untouched; of the rest one new replica at a time takes over from an old one, beside it where
// the machine has room, in its place where it has not; when a new one does not work all goes back.
#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "base/strings.h"
#include "run/supervisor.h"

namespace sx {
namespace {

using enum ReplicaState;

// The cards a launch takes, as it names them: our own list, or what it was told to see.
std::vector<std::string> cards_of(const EngineLaunch& launch) {
  std::vector<std::string> cards;
  for (const int gpu : launch.gpus) cards.push_back(std::to_string(gpu));
  if (!cards.empty()) return cards;
  const auto told = launch.environment.find("CUDA_VISIBLE_DEVICES");
  if (told == launch.environment.end()) return cards;
  for (const std::string_view card : split(told->second, ',')) {
    if (!trimmed(card).empty()) cards.emplace_back(trimmed(card));
  }
  return cards;
}

bool want_the_same(const EngineLaunch& a, const EngineLaunch& b) {
  if (a.port == b.port && a.host == b.host) return true;
  const auto of_a = cards_of(a);
  return std::ranges::any_of(cards_of(b), [&](const std::string& card) {
    return std::ranges::find(of_a, card) != of_a.end();
  });
}

}  // namespace

// --- what is asked ------------------------------------------------------------------------------

void Supervisor::handle(const AskReload& event, Moment now) {
  if (!may_change() || event.layout >= event.wanted.layouts.size()) return;
  Change change{.waiting = {}, .before = {}};
  const bool anew = given_up_ || finished_;  // what has been given up is nothing to go back to
  if (!anew) {
    const bool turning = change_ && change_->before;
    change.before = turning ? std::move(change_->before) : deployment_;
    change.layout_before = turning ? change_->layout_before : layout_;
    change.left_out_before = turning ? std::move(change_->left_out_before) : left_out_;
  }
  deployment_ = event.wanted;
  layout_ = first_ = event.layout;
  left_out_ = event.left_out;
  given_up_ = finished_ = on_ladder_ = false;
  without_.clear();
  rungs_done_.clear();
  // Rungs take the cards of what serves: they are climbed where nothing does.
  if (const auto rung = anew && event.ladder ? rung_from(0) : std::nullopt;
      rung && nothing_runs()) {
    change_.reset();
    enter(*rung, true, now);
    return;
  }
  retarget(std::move(change), now);
}

// Each wanted launch finds its replica, or waits for one; replicas that none of them found retire.
void Supervisor::retarget(Change change, Moment now) {
  std::vector<Replica*> kept;
  for (const EngineLaunch& launch : layout().replicas) {
    const auto found = std::ranges::find_if(replicas_, [&](const Replica& replica) {
      return launched_alike(replica.launch, launch) &&
             std::ranges::find(kept, &replica) == kept.end();
    });
    if (found == replicas_.end()) {
      change.waiting.push_back(launch);
    } else {
      kept.push_back(&*found);
      found->launch = launch;  // the gateway may make something else of it
    }
  }
  change_ = std::move(change);
  for (Replica& replica : replicas_) {
    if (std::ranges::find(kept, &replica) != kept.end()) {
      keep(replica, now);
      continue;
    }
    replica.view.retires = true;
    replica.newcomer = replica.asked_again = false;
    replica.view.next_try.reset();
    // One that serves nobody is worth nothing any more.
    if (replica.view.state != Ready && replica.view.state != Suspect)
      drain(replica, "replaced", now);
  }
}

// It is wanted as it is; one that ended, or is about to, comes back.
void Supervisor::keep(Replica& replica, Moment now) {
  const ReplicaState state = replica.view.state;
  replica.view.retires = false;
  if (without_.contains(replica.launch.model)) return;  // nothing has changed for it
  if (!change_->asked) {
    const bool drained = state != Failed && replica.stays_down;  // by somebody who wanted it so
    if (drained || replica.launch.model != change_->model) return;
  }
  const bool lost = state == Failed && replica.stays_down;
  if (state != Draining && state != Stopped && !lost) return;
  replica.view.starts = 0;
  replica.stays_down = false;
  if (state != Draining && replica.gone && replica.released &&
      (replica.cause_known || state == Stopped)) {
    start(replica, now);
  } else {
    replica.asked_again = true;
  }
}

// --- turning ------------------------------------------------------------------------------------

// After everything that happens: the next step of a change, where one is due.
void Supervisor::turn(Moment now) {
  while (change_ && begun_ && !going_down_ && !leaving_) {
    look_at_newcomers(now);
    retire_what_is_replaced(now);
    const bool buried = bury_the_retired();
    if (start_what_waits(now) || buried) continue;
    const bool retiring =
        std::ranges::any_of(replicas_, [](const Replica& one) { return one.view.retires; });
    if (!change_->waiting.empty() || newcomers() > 0 || retiring) return;
    if (change_->asked)
      actions_.emplace_back(Changed{.good = change_->cause.empty(), .cause = change_->cause});
    change_.reset();
    settle_layout(now);
  }
}

// Those that serve have arrived; one that could not be had turns everything back.
void Supervisor::look_at_newcomers(Moment now) {
  for (Replica& replica : replicas_) {
    if (!replica.newcomer) continue;
    const ReplicaState state = replica.view.state;
    const bool drained = state == Stopped && !replica.asked_again;  // by somebody who wanted it so
    const bool lost =
        state == Failed && replica.stays_down && replica.cause_known && replica.released;
    if (state == Ready || drained || lost) replica.newcomer = false;
    if (!lost || !change_->before) continue;
    deployment_ = std::move(*change_->before);
    layout_ = first_ = std::min(change_->layout_before, deployment_.layouts.size() - 1);
    left_out_ = std::move(change_->left_out_before);
    Change back{.waiting = {}, .before = {}};
    back.cause = replica.view.cause.empty() ? "ended" : replica.view.cause;
    actions_.emplace_back(TurnedBack{back.cause});
    retarget(std::move(back), now);
    return;
  }
}

bool Supervisor::bury_the_retired() {
  const auto ended = [](const Replica& replica) {
    return replica.view.retires && replica.view.state == Stopped && replica.gone &&
           replica.released;
  };
  for (const Replica& replica : replicas_) {
    if (ended(replica)) actions_.emplace_back(Buried{replica.view.index});
  }
  return std::erase_if(replicas_, ended) > 0;
}

std::size_t Supervisor::newcomers() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(replicas_, [](const Replica& replica) { return replica.newcomer; }));
}

std::size_t Supervisor::serving_retired() const {
  return static_cast<std::size_t>(std::ranges::count_if(replicas_, [](const Replica& replica) {
    return replica.view.retires && (replica.view.state == Ready || replica.view.state == Suspect);
  }));
}

// As many old ones serve on as new ones are still to come. First go those of a model that needs
// them least, then those that do not answer.
void Supervisor::retire_what_is_replaced(Moment now) {
  std::map<std::string_view, int> spare;  // by model
  for (const EngineLaunch& launch : change_->waiting) spare[launch.model] -= 1;
  for (const Replica& replica : replicas_) {
    if (replica.newcomer) spare[replica.launch.model] -= 1;
    if (replica.view.retires) spare[replica.launch.model] += 1;
  }
  while (serving_retired() > change_->waiting.size() + newcomers()) {
    const auto worth = [&](const Replica& replica) {
      const bool serves = replica.view.state == Ready || replica.view.state == Suspect;
      return std::tuple(replica.view.retires && serves, spare[replica.launch.model],
                        replica.view.state == Suspect, -replica.view.index);
    };
    Replica& goes = *std::ranges::max_element(
        replicas_, [&](const Replica& a, const Replica& b) { return worth(a) < worth(b); });
    spare[goes.launch.model] -= 1;
    drain(goes, "replaced", now);
  }
}

// One at a time where old ones have to give way, all that come on top of them at once.
bool Supervisor::start_what_waits(Moment now) {
  auto& waiting = change_->waiting;
  const auto in_the_way_of = [](const EngineLaunch& launch) {
    return [&launch](const Replica& replica) {
      return replica.view.retires && !(replica.gone && replica.released) &&
             want_the_same(replica.launch, launch);
    };
  };
  bool any = false;
  while (!waiting.empty()) {
    const std::size_t needed = waiting.size() + newcomers();
    const std::size_t old = serving_retired();
    if (newcomers() >= std::max<std::size_t>(1, needed - std::min(needed, old))) return any;
    const auto free = std::ranges::find_if(waiting, [&](const EngineLaunch& launch) {
      return std::ranges::none_of(replicas_, in_the_way_of(launch));
    });
    if (free == waiting.end()) break;
    const EngineLaunch launch = std::move(*free);
    waiting.erase(free);
    start_newcomer(launch, now);
    any = true;
  }
  const bool one_leaves = std::ranges::any_of(replicas_, [](const Replica& replica) {
    return replica.view.retires && replica.view.state != Ready && replica.view.state != Suspect;
  });
  if (waiting.empty() || newcomers() > 0 || one_leaves) return any;
  for (Replica& replica : replicas_) {
    if (in_the_way_of(waiting.front())(replica)) drain(replica, "replaced", now);
  }
  return any;
}

int Supervisor::free_number() const {
  int number = 0;
  while (std::ranges::any_of(replicas_,
                             [&](const Replica& replica) { return replica.view.index == number; }))
    ++number;
  return number;
}

void Supervisor::start_newcomer(const EngineLaunch& launch, Moment now) {
  Replica made = fresh(free_number(), launch);
  made.newcomer = true;
  const auto at = std::ranges::find_if(
      replicas_, [&](const Replica& replica) { return replica.view.index > made.view.index; });
  start(*replicas_.insert(at, std::move(made)), now);
}

std::optional<Supervisor::ChangeView> Supervisor::change() const {
  if (!change_ || !change_->asked) return std::nullopt;
  return ChangeView{.waiting = change_->waiting.size(),
                    .starting = newcomers(),
                    .retiring = static_cast<std::size_t>(std::ranges::count_if(
                        replicas_, [](const Replica& one) { return one.view.retires; })),
                    .goes_back = !change_->cause.empty()};
}

}  // namespace sx
