// What of a deployment may be waited for, and what will not come by itself any more.
#include <algorithm>

#include "run/layout_models.h"
#include "run/supervisor.h"

namespace sx {

using enum ReplicaState;

// A layout that is left may give way to one that works; a rung that was proven always does.
bool Supervisor::something_follows() const {
  if (given_up_) return false;
  return !left_because_ || smaller_layout(left_for_).has_value();
}

// By itself: starting, or about to be started again.
bool Supervisor::comes(const Replica& replica) {
  const ReplicaState state = replica.view.state;
  if (replica.view.retires) return state == Suspect;  // until it is replaced it may answer again
  if (state == Draining || state == Stopped) return replica.asked_again;
  return state == Failed ? !replica.stays_down : state != Ready;
}

// Once a change has come to its end, what was lost meanwhile gives way to a layout that works.
bool Supervisor::steps_down_after_change(const std::string& model) const {
  const Replica* lost = change_ ? lost_of(model) : nullptr;
  return lost != nullptr && layout_after(*lost).has_value();
}

std::set<std::string> Supervisor::coming() const {
  std::set<std::string> models;
  if (finished_ || going_down_) return models;
  // While rungs are climbed nothing serves, and all that is wanted is still to come.
  for (const std::string& model :
       models_of(on_ladder_ ? deployment_.layouts.at(first_) : layout())) {
    const bool left = leaving_ && (!on_ladder_ || model == left_for_);
    const bool will = left ? something_follows()
                           : on_ladder_ || steps_down_after_change(model) ||
                                 std::ranges::any_of(replicas_, [&](const Replica& one) {
                                   return one.launch.model == model && comes(one);
                                 });
    if (will && !without_.contains(model)) models.insert(model);
  }
  if (change_) {
    for (const EngineLaunch& launch : change_->waiting) models.insert(launch.model);
    for (const Replica& one : replicas_) {  // also of models that the new deployment has not
      if (one.view.retires && comes(one)) models.insert(one.launch.model);
    }
  }
  return models;
}

}  // namespace sx
