// Nobody restarts what ends now: that is said first, and what to do about it last.
#include "cli/daemon_gone.h"

#include <boost/json.hpp>

#include "diag/message.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr Text kGone{
    "{name}: its daemon is gone; what it started still runs, and nothing of it is started again",
    "{name}：守护进程已不在；它启动的进程仍在运行，但退出后不会再被拉起"};
constexpr Text kReplica{"replica {number}  engine {pid} runs, port {port}",
                        "副本 {number}  引擎 {pid} 在运行，端口 {port}"};
constexpr Text kSilent{"replica {number}  engine {pid} runs, nobody listens on port {port}",
                       "副本 {number}  引擎 {pid} 在运行，端口 {port} 无人监听"};
constexpr Text kBare{"replica {number}  engine {pid} runs", "副本 {number}  引擎 {pid} 在运行"};
constexpr Text kNoKeeper{"its keeper is gone too", "它的看护进程也已不在"};
constexpr Text kGateway{"gateway {pid} takes requests at {address}",
                        "网关 {pid} 在 {address} 接收请求"};
constexpr Text kGatewayRuns{"gateway {pid} takes requests", "网关 {pid} 在接收请求"};
constexpr Text kGatewayGone{"the gateway is gone: no requests reach them",
                            "网关已不在：请求无法到达"};
constexpr Text kNoGateway{"the gateway is gone: no requests reach them through {address}",
                          "网关已不在：请求无法经 {address} 到达"};
constexpr Text kTakeBack{
    "`setsid -f sextant daemon {name}` takes it back as it runs; `sextant down{flag}` ends it",
    "`setsid -f sextant daemon {name}` 原样接管；`sextant down{flag}` 全部停止"};

Message said_of_gateway(const GoneDaemon& gone) {
  const bool known = !gone.address.empty();
  if (!gone.there.gateway)
    return known ? Message{kNoGateway, {{"address", gone.address}}} : Message{kGatewayGone};
  const std::string pid = std::to_string(gone.there.gateway->pid);
  return known ? Message{kGateway, {{"pid", pid}, {"address", gone.address}}}
               : Message{kGatewayRuns, {{"pid", pid}}};
}

}  // namespace

std::string gone_page(const GoneDaemon& gone, Language language) {
  const auto line = [&](const Message& message) { return rendered(message, language) + '\n'; };
  std::string page = line({kGone, {{"name", gone.name}}});
  for (const StillThere::Replica& replica : gone.there.replicas) {
    const std::string number = std::to_string(replica.number);
    const std::string pid = std::to_string(replica.engine.pid);
    const int port = replica.launch.port;
    const Message said =
        port == 0 ? Message{kBare, {{"number", number}, {"pid", pid}}}
                  : Message{replica.listens ? kReplica : kSilent,
                            {{"number", number}, {"pid", pid}, {"port", std::to_string(port)}}};
    page += rendered(said, language);
    if (!replica.keeper)
      page +=
          (language == Language::English ? "; " : "；") + rendered(Message{kNoKeeper}, language);
    page += '\n';
  }
  page += line(said_of_gateway(gone));
  return page + line({kTakeBack, {{"name", gone.name}, {"flag", name_flag_of(gone.name)}}});
}

std::string gone_json(const GoneDaemon& gone) {
  json::array replicas;
  for (const StillThere::Replica& replica : gone.there.replicas) {
    json::object object{{"replica", replica.number},
                        {"engine_pid", replica.engine.pid},
                        {"listens", replica.listens}};
    if (replica.keeper) object["keeper_pid"] = replica.keeper->pid;
    if (replica.launch.port > 0) object["port"] = replica.launch.port;
    if (!replica.launch.model.empty()) object["model"] = replica.launch.model;
    replicas.push_back(std::move(object));
  }
  json::object status{{"schema", "sextant.status/1"},
                      {"deployment", gone.name},
                      {"state", "daemon-gone"},
                      {"replicas", std::move(replicas)}};
  if (!gone.address.empty()) status["address"] = gone.address;
  if (gone.there.gateway) status["gateway_pid"] = gone.there.gateway->pid;
  return json::serialize(status) + '\n';
}

}  // namespace sx
