// Which layout runs: the next smaller one, the next rung of the ladder, or none any more. Each
// model of a deployment goes its own way through the list.
#include <algorithm>

#include "run/layout_models.h"
#include "run/supervisor.h"

namespace sx {

using enum ReplicaState;

bool Supervisor::all_given_up() const {
  const auto models = models_of(deployment_.layouts.at(on_ladder_ ? first_ : layout_));
  return std::ranges::all_of(models,
                             [&](const std::string& model) { return without_.contains(model); });
}

void Supervisor::give_up_if_all_are() {
  if (on_ladder_ || without_.empty() || !all_given_up() || !nothing_runs()) return;
  finished_ = true;
  actions_.emplace_back(Finished{.asked = false});
}

// What stands in for the layout at hand: the next one of the list. A rung of the ladder that did
// not work says that nothing with as many GPUs a replica will. Where several models run, the others
// stay as they are.
std::optional<std::size_t> Supervisor::smaller_layout(const std::string& model) const {
  const std::size_t from = on_ladder_ ? first_ : layout_;
  const auto same = of_others(deployment_.layouts.at(from), model);
  for (std::size_t i = from + 1; i < deployment_.layouts.size(); ++i) {
    if (i < left_out_.size() && left_out_[i]) continue;
    const DeployedLayout& next = deployment_.layouts[i];
    const bool smaller = gpus_of(next, model) < gpus_of(layout(), model);
    if (of_others(next, model) == same && (!on_ladder_ || smaller)) return i;
  }
  return std::nullopt;
}

// Each model climbs its own; one that is larger than the layout to serve proves nothing for it.
std::optional<std::size_t> Supervisor::rung_from(std::size_t rung) const {
  const DeployedLayout& first = deployment_.layouts.at(first_);
  for (; rung < deployment_.rungs.size(); ++rung) {
    const DeployedLayout& one = deployment_.rungs[rung];
    const std::string model = one.replicas.empty() ? "" : one.replicas.front().model;
    const bool done = rungs_done_.contains(model) || without_.contains(model);
    if (!done && gpus_of(one, model) <= gpus_of(first, model)) return rung;
  }
  return std::nullopt;
}

// Nothing of this layout runs any more: the next one, if there is one that may help.
void Supervisor::leave_layout(Moment now) {
  leaving_ = false;
  if (on_ladder_) {
    leave_rung(now);
    return;
  }
  if (const auto next = given_up_ ? std::nullopt : smaller_layout(left_for_)) {
    enter(*next, false, now);
    return;
  }
  finished_ = true;
  actions_.emplace_back(Finished{.asked = false});
}

// One that failed says what its model cannot do; the rungs of other models are climbed all the
// same.
void Supervisor::leave_rung(Moment now) {
  if (left_because_) {
    const auto next = given_up_ ? std::nullopt : smaller_layout(left_for_);
    rungs_done_.insert(left_for_);
    if (next) first_ = *next;
    if (!next) without_.insert_or_assign(left_for_, *left_because_);
    if (all_given_up()) {
      finished_ = true;
      actions_.emplace_back(Finished{.asked = false});
      return;
    }
    given_up_ = false;
  }
  const auto more = rung_from(layout_ + 1);
  enter(more.value_or(first_), more.has_value(), now);
}

void Supervisor::enter(std::size_t layout, bool ladder, Moment now) {
  layout_ = layout;
  on_ladder_ = ladder;
  // Starts go on counting, so that what is late of an earlier layout is not taken for this one's.
  replicas_.clear();
  for (const EngineLaunch& launch : this->layout().replicas)
    replicas_.push_back(fresh(static_cast<int>(replicas_.size()), launch));
  for (Replica& replica : replicas_) {
    if (!given_up_before(replica, now)) start(replica, now);
  }
}

// One that is to be started, of a model that cannot be had.
bool Supervisor::given_up_before(Replica& replica, Moment now) {
  const auto lost = without_.find(replica.launch.model);
  if (lost == without_.end() || replica.view.state != Planned) return false;
  give_up_at_once(replica, lost->second, now);
  return true;
}

std::map<std::string, ReplicaView> Supervisor::given_up() const {
  auto models = without_;
  if (finished_ && !going_down_ && left_because_) models.try_emplace(left_for_, *left_because_);
  return models;
}

// Its model failed on the ladder, or under an earlier daemon: it is not tried once more, and says
// why.
void Supervisor::give_up_at_once(Replica& replica, const ReplicaView& lost, Moment now) {
  // Its records are of that start: the next one has another number.
  latest_start_ = std::max(latest_start_, lost.attempt.start);
  replica.view.attempt.start = std::max(replica.view.attempt.start, lost.attempt.start);
  go(replica, Failed, lost.cause.empty() ? "ended" : lost.cause, now);
  replica.view.cause = lost.cause;
  replica.view.cause_code = lost.cause_code;
  replica.view.cause_title = lost.cause_title;
  replica.view.cause_title_chinese = lost.cause_title_chinese;
  replica.view.report = lost.report;
  replica.cause_known = replica.stays_down = true;
}

}  // namespace sx
