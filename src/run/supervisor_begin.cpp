// How a supervisor begins: with nothing, or with what an earlier daemon left running, also in the
// middle of a reload.
#include <algorithm>

#include "run/supervisor.h"

namespace sx {

using enum ReplicaState;

void Supervisor::resume_change(Resumed change) {
  change_ = Change{.waiting = {}, .before = std::move(change.before)};
  change_->layout_before = change.layout_before;
  change_->cause = std::move(change.cause);
}

void Supervisor::begin(Moment now) {
  begun_ = true;
  const auto by_number = [](const Replica& replica) { return replica.view.index; };
  std::ranges::sort(replicas_, {}, by_number);
  for (Replica& replica : replicas_) given_up_before(replica, now);
  const bool unwanted =
      std::ranges::any_of(replicas_, [](const Replica& one) { return one.view.retires; });
  if (!change_ && !unwanted) {
    for (Replica& replica : replicas_) {
      if (replica.view.state == Planned) start(replica, now);
    }
    give_up_if_all_are();
    return;
  }
  if (!change_) change_ = Change{.waiting = {}, .before = {}};
  for (Replica& replica : replicas_) {
    if (replica.view.state == Planned) change_->waiting.push_back(replica.launch);
    replica.newcomer = !replica.view.retires && replica.view.state == Starting;
    if (replica.view.retires && replica.view.state == Starting) drain(replica, "replaced", now);
  }
  std::erase_if(replicas_, [](const Replica& one) { return one.view.state == Planned; });
  turn(now);
}

void Supervisor::handle(const Adopted& event, Moment now) {
  const int number = event.of.replica;
  if (number < 0) return;
  const bool by_number = event.launch.words.empty();
  Replica* holder = numbered(number);
  if (holder != nullptr && holder->view.state != Planned) return;
  Replica* found = holder;
  if (!by_number && (holder == nullptr || !launched_alike(holder->launch, event.launch))) {
    const auto same = std::ranges::find_if(replicas_, [&](const Replica& replica) {
      return replica.view.state == Planned && launched_alike(replica.launch, event.launch);
    });
    found = same == replicas_.end() ? nullptr : &*same;
  }
  if (found == nullptr && by_number) return;
  if (holder != nullptr && holder != found) {  // it gives its number away
    holder->view.index = found != nullptr ? found->view.index : free_number();
    holder->view.attempt.replica = holder->view.index;
  }
  if (found == nullptr) {  // `holder` is no more from here on: the list grows
    replicas_.push_back(fresh(number, event.launch));
    found = &replicas_.back();
    found->view.retires = true;  // nobody wants it
  }
  found->view.index = number;
  found->view.attempt = event.of;
  latest_start_ = std::max(latest_start_, event.of.start);
  found->view.starts = 1;
  found->gone = found->released = false;
  go(*found, Starting, "adopted", now);
  found->give_up = now + stall_of(*found);
  if (event.state != Ready && event.state != Suspect) return;
  go(*found, Warming, "adopted", now);
  found->was_ready = true;
  go(*found, Ready, "adopted", now);
}

}  // namespace sx
