// The story of the daemon: take the folder, read what should run, take over what runs, answer until
// the end.
#include "api/daemon.h"

#include <boost/asio.hpp>
#include <boost/json.hpp>
#include <charconv>
#include <csignal>

#include "api/server.h"
#include "api/status_json.h"
#include "base/strings.h"
#include "diag/message.h"
#include "gateway/link.h"
#include "run/runner.h"
#include "sys/file_hash.h"
#include "sys/files.h"
#include "sys/local_socket.h"
#include "sys/notify.h"

namespace sx {
namespace {

namespace asio = boost::asio;

constexpr Bytes kMostDeployment = mib(16);
constexpr const char* kDeployment = "deployment";  // the hash of the one that runs
constexpr int kMostEvents = 1000;
constexpr std::chrono::seconds kGatewayGrace{2};     // no replica serves any more
constexpr std::chrono::milliseconds kLastWords{50};  // for the gateway to hear that it may go

constexpr Text kNoSuchPath{"there is no {path}", "没有 {path}"};
constexpr Text kNoSuchReplica{"there is no replica {index}", "没有副本 {index}"};

// "/v1/replicas/2/restart" → 2 and "restart".
struct ReplicaPath {
  int index = -1;
  std::string verb;
};
std::optional<ReplicaPath> replica_path(std::string_view path) {
  constexpr std::string_view kFront = "/v1/replicas/";
  if (!path.starts_with(kFront)) return std::nullopt;
  path.remove_prefix(kFront.size());
  ReplicaPath found;
  const auto read = std::from_chars(path.data(), path.data() + path.size(), found.index);
  const std::string_view rest(read.ptr,
                              static_cast<std::size_t>(path.data() + path.size() - read.ptr));
  if (read.ec != std::errc() || !rest.starts_with('/')) return std::nullopt;
  found.verb = rest.substr(1);
  return found;
}

class Daemon {
 public:
  struct Again {
    bool resume = false;
    std::size_t layout = 0;
  };
  Daemon(const DaemonAsk& ask, Deployment deployment, Journal journal, UniqueFd listener,
         Again again)
      : journal_(std::move(journal)),
        runner_(loop_,
                RunnerAsk{.deployment = std::move(deployment),
                          .folder = ask.folder,
                          .program = ask.program,
                          .first = again.layout,
                          .ladder = ask.ladder && !again.resume,
                          .resume = again.resume,
                          .patience = {}},
                journal_),
        gateway_(loop_, GatewayAsk{.folder = ask.folder,
                                   .program = ask.program,
                                   .host = runner_.deployment().host,
                                   .port = runner_.deployment().port}),
        signals_(loop_, SIGTERM, SIGINT),
        api_(loop_, std::move(listener),
             [this](const ApiRequest& request) { return answer(request); }) {
    runner_.finished = [this](bool asked) {
      if (!asked) return;  // given up: stays to say why
      [[maybe_unused]] const auto noted = journal_.remember(kDeployment, "");
      gateway_.stop(kGatewayGrace);
      end_.expires_after(kLastWords);
      end_.async_wait([this](boost::system::error_code) { loop_.stop(); });
    };
    runner_.routes_changed = [this] { gateway_.publish(routes()); };
    runner_.drain = [this](int replica, std::function<void()> done) {
      gateway_.when_idle(replica, std::move(done));
    };
    gateway_.traffic = [this](int replica) { runner_.note_traffic(replica); };
  }

  Result<void> run() {
    signals_.async_wait([this](boost::system::error_code error, int) {
      if (error) return;
      notify_service_manager("STOPPING=1");
      runner_.tell(AskDown{});
    });
    if (auto listens = gateway_.begin(); !listens) return listens;
    runner_.begin();
    gateway_.publish(routes());
    notify_service_manager("READY=1");
    loop_.run();
    return {};
  }

 private:
  std::vector<Route> routes() const {
    std::vector<Route> all;
    const Supervisor& supervisor = runner_.supervisor();
    const auto& launches = supervisor.layout().replicas;
    for (const ReplicaView& view : supervisor.view()) {
      using enum ReplicaState;
      const bool listed = view.state == Ready || view.state == Suspect || view.state == Draining;
      if (!listed || supervisor.on_ladder()) continue;
      const EngineLaunch& launch = launches.at(static_cast<std::size_t>(view.index));
      all.push_back({.replica = view.index,
                     .host = launch.host,
                     .port = launch.port,
                     .model = launch.model,
                     .engine = launch.engine,
                     .key = launch.key,
                     .takes = supervisor.serves(view.index)});
    }
    return all;
  }

  ApiReply answer(const ApiRequest& request) {
    const auto accepted = [&] {
      return ApiReply{.status = 202, .json = boost::json::serialize(status_json(runner_))};
    };
    if (request.method == "GET" && request.path == "/v1/status")
      return {.status = 200, .json = boost::json::serialize(status_json(runner_))};
    if (request.method == "GET" && request.path == "/v1/events")
      return {.status = 200,
              .json = boost::json::serialize(events_json(journal_.latest(kMostEvents)))};
    if (request.method == "POST" && request.path == "/v1/down") {
      runner_.tell(AskDown{});
      return accepted();
    }
    const auto replica = replica_path(request.path);
    if (request.method == "POST" && replica) {
      const auto replicas = runner_.supervisor().view().size();
      if (replica->index < 0 || static_cast<std::size_t>(replica->index) >= replicas)
        return api_error(404, "no-replica", in_both({kNoSuchReplica, {{"index", replica->index}}}));
      if (replica->verb == "restart") {
        runner_.tell(AskRestart{replica->index});
        return accepted();
      }
      if (replica->verb == "drain") {
        runner_.tell(AskDrain{replica->index});
        return accepted();
      }
    }
    return api_error(404, "no-path", in_both({kNoSuchPath, {{"path", request.path}}}));
  }

  asio::io_context loop_{1};
  Journal journal_;
  Runner runner_;
  GatewayLink gateway_;
  asio::steady_timer end_{loop_};
  asio::signal_set signals_;
  ApiServer api_;
};

}  // namespace

Result<void> run_daemon(const DaemonAsk& ask) {
  SX_TRY(const UniqueFd lock, take_state_folder(ask.folder));
  SX_TRY(const auto text, real_files().read(ask.folder.deployment(), kMostDeployment));
  SX_TRY(auto deployment, read_deployment(text));
  std::optional<std::string> set_aside;
  SX_TRY(auto journal, Journal::open(ask.folder.journal(), &set_aside));
  SX_TRY(auto listener, listen_local(ask.folder.api()));
  const std::string hash = sha256_of(text);
  Daemon::Again again;
  const auto layout = to_number(journal.remembered("layout").value_or(""));
  again.resume = journal.remembered(kDeployment) == hash && layout && *layout >= 0 &&
                 *layout < static_cast<double>(deployment.layouts.size());
  if (again.resume) again.layout = static_cast<std::size_t>(*layout);
  if (auto noted = journal.remember(kDeployment, hash); !noted) return noted;
  auto ran =
      Daemon(ask, std::move(deployment), std::move(journal), std::move(listener), again).run();
  ::unlink(ask.folder.api().c_str());
  return ran;
}

}  // namespace sx
