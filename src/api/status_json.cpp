// Times are milliseconds since the state began, so that clocks that jump change nothing.
#include "api/status_json.h"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>

#include "diag/message.h"

namespace sx {
namespace {

namespace json = boost::json;

Moment now() {
  return std::chrono::duration_cast<Moment>(std::chrono::steady_clock::now().time_since_epoch());
}

// Before its first start a replica has been in no state for any time.
std::int64_t time_in_state(const ReplicaView& view) {
  return view.since == Moment{} ? 0 : (now() - view.since).count();
}

json::object replica_json(const ReplicaView& view, const EngineLaunch& launch) {
  json::array gpus;
  for (const int gpu : launch.gpus) gpus.emplace_back(gpu);
  json::object object{{"replica", view.index},         {"state", word_of(view.state)},
                      {"for_ms", time_in_state(view)}, {"start", view.attempt.start},
                      {"tries", view.starts},          {"engine", launch.engine},
                      {"model", launch.model},         {"host", launch.host},
                      {"port", launch.port},           {"gpus", std::move(gpus)}};
  if (view.retires) object["retires"] = true;
  if (!view.stage.empty()) object["stage"] = view.stage;
  if (view.percent >= 0) object["percent"] = view.percent;
  if (!view.cause.empty()) {
    object["cause"] = {{"name", view.cause},
                       {"code", view.cause_code},
                       {"title", view.cause_title},
                       {"title_zh", view.cause_title_chinese},
                       {"report", view.report}};
  }
  if (view.next_try) object["next_try_ms"] = (*view.next_try - now()).count();
  return object;
}

json::array notes_json(const std::vector<JournalNote>& notes) {
  json::array all;
  for (const JournalNote& note : notes) {
    json::object object{{"unix_ms", note.unix_ms},
                        {"name", note.name},
                        {"message", note.words.english},
                        {"message_zh", note.words.chinese}};
    if (note.replica >= 0) object["replica"] = note.replica;
    all.push_back(std::move(object));
  }
  return all;
}

// What was tried so far, in order, and what its last failure means.
json::object ladder_json(const Runner& runner) {
  json::array tried;
  for (const RungResult& one : runner.rungs_tried()) {
    json::object object{{"layout", one.label}, {"worked", one.good}};
    if (!one.proves.empty()) object["proves"] = one.proves;
    if (!one.cause.empty()) object["cause"] = one.cause;
    tried.push_back(std::move(object));
  }
  json::object ladder{{"tried", std::move(tried)}};
  if (const auto verdict = ladder_verdict(runner.rungs_tried())) {
    ladder["verdict"] = verdict->english;
    ladder["verdict_zh"] = verdict->chinese;
  }
  return ladder;
}

std::string_view overall(const Supervisor& supervisor) {
  if (supervisor.finished()) return supervisor.going_down() ? "down" : "given-up";
  if (supervisor.going_down()) return "going-down";
  if (supervisor.on_ladder()) return "climbing";
  const auto replicas = supervisor.view();
  const auto how_many = [&](ReplicaState state) {
    return std::ranges::count(replicas, state, &ReplicaView::state);
  };
  const auto all = static_cast<std::ptrdiff_t>(replicas.size());
  const std::ptrdiff_t ready = how_many(ReplicaState::Ready);
  // In the middle of a reload there are more than are wanted.
  const auto wanted = static_cast<std::ptrdiff_t>(supervisor.layout().replicas.size());
  if (ready == all || (supervisor.change() && ready >= wanted)) return "serving";
  if (how_many(ReplicaState::Stopped) == all) return "drained";
  if (ready > 0) return "degraded";
  if (!supervisor.coming().empty()) return "starting";
  return how_many(ReplicaState::Draining) > 0 ? "draining" : "stopped";
}

}  // namespace

json::object restart_json(int replica, bool beside, const std::optional<Both>& why) {
  constexpr Text kBeside{
      "replica {replica} serves until another one, which starts beside it, is ready",
      "副本 {replica} 继续服务，直到在它旁边启动的新副本就绪"};
  constexpr Text kGap{"replica {replica} stops before it starts again: {why}",
                      "副本 {replica} 要先停止再启动：{why}"};
  constexpr Text kAgain{"replica {replica} starts again", "副本 {replica} 重新启动"};
  const Message said = beside ? Message{kBeside, {{"replica", replica}}}
                       : why  ? Message{kGap, {{"replica", replica}, {"why", *why}}}
                              : Message{kAgain, {{"replica", replica}}};
  const Both words = in_both(said);
  return {{"beside", beside}, {"message", words.english}, {"message_zh", words.chinese}};
}

std::vector<JournalNote> notes_since(const Journal& journal, std::int64_t after) {
  constexpr int kMostNotes = 20;  // shown; older ones stay in the journal
  std::vector<JournalNote> notes = journal.notes(kMostNotes);
  std::erase_if(notes, [&](const JournalNote& note) { return note.id != 0 && note.id <= after; });
  return notes;
}

json::object status_json(const Runner& runner, const StatusBeside& beside) {
  const Supervisor& supervisor = runner.supervisor();
  const Deployment& deployment = runner.deployment();
  json::array replicas;
  for (const ReplicaView& view : supervisor.view()) {
    json::object replica = replica_json(view, *view.launch);
    if (const auto outlook = runner.outlook(view.index)) {
      replica["progress"] = outlook->percent;
      replica["left_ms"] = outlook->left.count();
    }
    const auto requests = beside.in_flight ? beside.in_flight(view.index) : std::nullopt;
    if (requests) replica["in_flight"] = *requests;
    replicas.push_back(std::move(replica));
  }
  json::object status{
      {"schema", "sextant.status/1"},        {"deployment", deployment.name},
      {"state", overall(supervisor)},        {"address", address_of(deployment)},
      {"layout", supervisor.layout().label}, {"layout_index", supervisor.layout_index()},
      {"on_ladder", supervisor.on_ladder()}, {"replicas", std::move(replicas)},
      {"notes", notes_json(beside.notes)}};
  if (const auto change = supervisor.change()) {
    status["reload"] = {{"waiting", change->waiting},
                        {"starting", change->starting},
                        {"retiring", change->retiring},
                        {"goes_back", change->goes_back}};
  }
  if (const Both& why = runner.no_control_groups(); !why.empty())
    status["no_control_groups"] = {{"message", why.english}, {"message_zh", why.chinese}};
  if (const auto& rungs = runner.rungs_tried(); supervisor.on_ladder() || !rungs.empty())
    status["ladder"] = ladder_json(runner);
  return status;
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
