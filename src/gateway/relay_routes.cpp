// What the relay knows of models and replicas, and how one of them is chosen.
#include <algorithm>
#include <set>

#include "base/strings.h"
#include "gateway/relay.h"

namespace sx {
namespace {

// A request that waits in an engine's own queue, sent by whomever: as much as a short one of ours.
constexpr std::uint64_t kCostElsewhere = 512;

}  // namespace

// What the table before said holds no longer.
void Relay::take_times(const RouteTimes& times) {
  using Seconds = std::chrono::seconds;
  const auto some = [](const std::optional<Seconds>& said, Seconds usual) {
    return said && said->count() > 0 ? *said : usual;
  };
  limits.queue = times.queue ? static_cast<std::size_t>(*times.queue) : usual_.queue;
  limits.queue_wait = times.queue_wait.value_or(usual_.queue_wait);
  limits.total = times.total.value_or(usual_.total);
  limits.silence = some(times.silence, usual_.silence);
  limits.body_whole = some(times.body, usual_.body_whole);
  limits.comment = some(times.comment, usual_.comment);
  waiting.most = limits.queue;
  sessions_.all_due_now();
}

void Relay::look_at(std::string_view model, const Tried& tried) {
  candidates_.clear();
  for (const auto& replica : replicas_) {
    candidates_.push_back({.replica = replica->route.replica,
                           .takes = replica->route.takes,
                           .tried = std::ranges::find(tried, replica) != tried.end(),
                           .serves = replica->serves(model),
                           .load = replica->load + replica->elsewhere * kCostElsewhere,
                           .in_flight = replica->in_flight,
                           .most = static_cast<std::uint64_t>(replica->route.most),
                           .weight = replica->route.weight,
                           .rests = replica->rests,
                           .full = replica->full});
  }
}

Relay::Chosen Relay::choose_replica(std::string_view model, const RouteKey& key,
                                    const Tried& tried) {
  look_at(model, tried);
  const RouteChoice choice = choose(candidates_, routing.ask_for(key, now_));
  if (choice.index < 0) return {.replica = nullptr, .why = {}, .full = choice.full};
  const auto& replica = replicas_[static_cast<std::size_t>(choice.index)];
  routing.went_to(key, replica->route.replica);
  return {.replica = replica, .why = choice.why, .full = false};
}

const std::vector<RouteCandidate>& Relay::candidates(std::string_view model) {
  look_at(model, {});
  return candidates_;
}

void Relay::set_loads(const std::vector<EngineLoad>& loads) {
  for (const EngineLoad& load : loads) {
    for (const auto& replica : replicas_) {
      if (replica->route.replica == load.replica) replica->elsewhere = load.waiting;
    }
  }
}

bool Relay::has_replica(std::string_view model, const RouteKey& key, const Tried& tried) {
  look_at(model, tried);
  return choose(candidates_, routing.ask_for(key, now_)).index >= 0;
}

// Full is not sick: its connections stay, and what it works on goes on.
void Relay::said_full(GatewayReplica& replica, std::string_view retry_after) {
  const auto seconds = to_integer(retry_after);
  const auto until = seconds && *seconds > 0 ? std::min<std::chrono::seconds>(
                                                   std::chrono::seconds(*seconds), limits.most_full)
                                             : limits.full;
  replica.full = std::max(replica.full, now_ + until);
}

std::string_view Relay::meant_by(std::string_view name) const {
  const bool own = name == table_.model || comes(name) || table_.down.contains(std::string(name)) ||
                   std::ranges::any_of(replicas_, [&](const auto& one) {
                     return std::ranges::find(one->models, name) != one->models.end();
                   });
  if (own) return name;
  const auto found = table_.aliases.find(std::string(name));
  return found == table_.aliases.end() ? name : std::string_view(found->second);
}

std::chrono::milliseconds GatewayReplica::silent(GatewayClock::time_point now) const {
  if (awaiting == 0) return std::chrono::milliseconds(0);
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      now - std::min(now, std::max(last_byte, busy)));
}

bool Relay::comes(std::string_view model) const {
  return std::ranges::find(table_.coming, model) != table_.coming.end();
}

bool Relay::may_be_restarted(std::string_view model) const {
  return table_.restarts && std::ranges::any_of(replicas_, [&](const auto& one) {
           return one->route.takes && one->serves(model);
         });
}

std::string_view Relay::cause_of(std::string_view model) const {
  const auto found = table_.down.find(std::string(model));
  return found == table_.down.end() ? std::string_view() : std::string_view(found->second);
}

std::vector<ServedModel> Relay::served() const {
  std::set<std::string> names(table_.coming.begin(), table_.coming.end());
  if (!table_.model.empty()) names.insert(table_.model);
  for (const auto& [name, cause] : table_.down) names.insert(name);
  for (const auto& replica : replicas_)
    names.insert(replica->models.begin(), replica->models.end());
  const auto seen = [&](const std::string& name, const std::string& model) {
    ServedModel one{.name = name, .alias_of = name == model ? "" : model, .coming = comes(model)};
    for (const auto& replica : replicas_) {
      if (!replica->serves(model)) continue;
      ++one.replicas;
      one.taking += replica->route.takes ? 1 : 0;
    }
    return one;
  };
  std::vector<ServedModel> all;
  for (const std::string& name : names) all.push_back(seen(name, name));
  for (const auto& [name, model] : table_.aliases) {
    if (!names.contains(name)) all.push_back(seen(name, model));
  }
  std::ranges::sort(all, {}, &ServedModel::name);
  return all;
}

std::vector<std::string> Relay::models() const {
  std::vector<std::string> names;
  for (const ServedModel& one : served()) names.push_back(one.name);
  return names;
}

}  // namespace sx
