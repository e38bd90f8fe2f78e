// Times are milliseconds since the state began, so that clocks that jump change nothing.
#include "api/status_json.h"

#include <boost/json.hpp>
#include <chrono>

namespace sx {
namespace {

namespace json = boost::json;

Moment now() {
  return std::chrono::duration_cast<Moment>(std::chrono::steady_clock::now().time_since_epoch());
}

json::object replica_json(const ReplicaView& view, const EngineLaunch& launch) {
  json::array gpus;
  for (const int gpu : launch.gpus) gpus.emplace_back(gpu);
  json::object object{{"replica", view.index},
                      {"state", word_of(view.state)},
                      {"for_ms", (now() - view.since).count()},
                      {"start", view.attempt.start},
                      {"tries", view.starts},
                      {"engine", launch.engine},
                      {"model", launch.model},
                      {"host", launch.host},
                      {"port", launch.port},
                      {"gpus", std::move(gpus)}};
  if (!view.stage.empty()) object["stage"] = view.stage;
  if (view.percent >= 0) object["percent"] = view.percent;
  if (!view.cause.empty()) {
    object["cause"] = {{"name", view.cause},
                       {"code", view.cause_code},
                       {"title", view.cause_title},
                       {"report", view.report}};
  }
  if (view.next_try) object["next_try_ms"] = (*view.next_try - now()).count();
  return object;
}

std::string_view overall(const Supervisor& supervisor) {
  if (supervisor.finished()) return supervisor.going_down() ? "down" : "given-up";
  if (supervisor.going_down()) return "going-down";
  if (supervisor.on_ladder()) return "climbing";
  std::size_t ready = 0;
  const auto replicas = supervisor.view();
  for (const ReplicaView& view : replicas) ready += view.state == ReplicaState::Ready ? 1U : 0U;
  if (ready == replicas.size()) return "serving";
  return ready > 0 ? "degraded" : "starting";
}

}  // namespace

json::object status_json(const Runner& runner) {
  const Supervisor& supervisor = runner.supervisor();
  const Deployment& deployment = runner.deployment();
  json::array replicas;
  const auto& launches = supervisor.layout().replicas;
  for (const ReplicaView& view : supervisor.view())
    replicas.push_back(replica_json(view, launches.at(static_cast<std::size_t>(view.index))));
  return {{"schema", "sextant.status/1"},
          {"deployment", deployment.name},
          {"state", overall(supervisor)},
          {"address", "http://" + deployment.host + ':' + std::to_string(deployment.port)},
          {"layout", supervisor.layout().label},
          {"layout_index", supervisor.layout_index()},
          {"on_ladder", supervisor.on_ladder()},
          {"replicas", std::move(replicas)}};
}

json::array events_json(const std::vector<JournalLine>& lines) {
  json::array events;
  for (const JournalLine& line : lines) {
    events.push_back(json::object{{"id", line.id},
                                  {"unix_ms", line.unix_ms},
                                  {"replica", line.replica},
                                  {"start", line.start},
                                  {"from", line.from},
                                  {"to", line.to},
                                  {"reason", line.reason}});
  }
  return events;
}

}  // namespace sx
