// Routes of replicas that can take requests, what may be waited for, and what will not come.
#include "api/gateway_told.h"

#include <tuple>

namespace sx {
namespace {

using enum ReplicaState;

Route route_of(const ReplicaView& view, const Supervisor& supervisor) {
  const EngineLaunch& launch = *view.launch;
  return {.replica = view.index,
          .host = launch.host,
          .port = launch.port,
          .model = launch.model,
          .engine = launch.engine,
          .key = launch.key,
          .takes = supervisor.serves(view.index),
          .weight = launch.weight,
          .most = supervisor.deployment().gateway.concurrency.value_or(launch.most)};
}

}  // namespace

RouteTable routes_of(const Supervisor& supervisor) {
  RouteTable table;
  const auto coming = supervisor.coming();
  std::map<std::string, std::string> causes;  // of every model here
  for (const std::string& model : coming) causes[model];
  std::set<std::string> taken;
  for (const ReplicaView& view : supervisor.view()) {
    std::string& cause = causes[view.launch->model];
    if (view.state == Failed) cause = view.cause;
    const bool listed = view.state == Ready || view.state == Suspect || view.state == Draining;
    if (!listed || supervisor.on_ladder()) continue;
    table.routes.push_back(route_of(view, supervisor));
    if (table.routes.back().takes) taken.insert(view.launch->model);
  }
  if (causes.size() == 1) table.model = causes.begin()->first;
  table.coming.assign(coming.begin(), coming.end());
  if (!supervisor.going_down()) {
    for (const auto& [model, cause] : causes) {
      if (!coming.contains(model) && !taken.contains(model)) table.down.emplace(model, cause);
    }
  }
  table.restarts = !supervisor.finished() && !supervisor.going_down();
  const GatewayPolicy& gateway = supervisor.deployment().gateway;
  table.aliases = gateway.aliases;
  table.default_model = gateway.default_model;
  table.times = {.queue = gateway.queue,
                 .queue_wait = gateway.queue_wait,
                 .silence = gateway.silence,
                 .total = gateway.total,
                 .comment = {},
                 .body = gateway.body};
  return table;
}

bool same_outlook(const RouteTable& a, const RouteTable& b) {
  const auto outlook = [](const RouteTable& table) {
    return std::tie(table.coming, table.down, table.restarts);
  };
  return outlook(a) == outlook(b);
}

std::vector<ToldState> states_of(const Supervisor& supervisor, const WedgeCount& wedges) {
  std::vector<ToldState> states;
  for (const ReplicaView& view : supervisor.view()) {
    states.push_back({.replica = view.index,
                      .engine = view.launch->engine,
                      .state = view.state,
                      .wedges = wedges.of(view.index)});
  }
  return states;
}

}  // namespace sx
