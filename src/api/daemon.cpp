// The story of the daemon: take the folder, read what should run, take over what runs, answer until
// the end.
#include "api/daemon.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/json.hpp>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <set>

#include "api/own_log.h"
#include "api/reload.h"
#include "api/server.h"
#include "api/status_json.h"
#include "base/strings.h"
#include "diag/message.h"
#include "gateway/link.h"
#include "run/layout_key.h"
#include "run/layout_memory.h"
#include "run/runner.h"
#include "sys/files.h"
#include "sys/local_socket.h"
#include "sys/notify.h"
#include "sys/wall_clock.h"

namespace sx {
namespace {

namespace asio = boost::asio;

constexpr Bytes kMostDeployment = mib(16);
constexpr int kMostEvents = 1000;
constexpr std::chrono::seconds kGatewayGrace{2};  // no replica serves any more
constexpr std::chrono::minutes kLogEvery{1};
constexpr std::chrono::milliseconds kLastWords{50};  // for the gateway to hear that it may go

constexpr const char* kBegan = "began";  // unix_ms of its first daemon

constexpr Text kSetAside{
    "the journal was damaged and is set aside as {path}: what was known of layouts and of starts "
    "is forgotten",
    "日志库已损坏，已移到 {path}：关于布局与启动的记录不再可用"};
constexpr Text kNotNow{
    "smaller layouts are tried at the moment; what runs can change once a layout has been found",
    "正在逐级尝试布局；找到可用的布局之后才能更改运行的内容"};
constexpr Text kGoesDown{"it is going down", "正在停止"};
constexpr Text kReloaded{"what runs is what the file says now", "运行的内容已与文件一致"};
constexpr Text kWentBack{
    "a new replica did not become ready ({cause}): everything runs as it did before",
    "新的副本没有就绪（{cause}）：已恢复到之前的运行方式"};
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

constexpr Text kAnyway{"started in spite of errors that `check` finds: {reason}",
                       "尽管 `check` 发现错误仍然启动：{reason}"};

void note_anyway(Journal& journal, const Deployment& deployment) {
  if (deployment.anyway.empty()) return;
  [[maybe_unused]] const auto added =
      journal.add(JournalNote{.unix_ms = unix_ms(),
                              .name = "anyway",
                              .words = in_both({kAnyway, {{"reason", deployment.anyway}}})});
}

class Daemon {
 public:
  struct Again {
    bool resume = false;
    std::size_t layout = 0;
    std::int64_t began = 0;  // unix_ms: notes from then on are of this deployment
    std::string machine;
    LayoutMemory memory;
    std::optional<Deployment> before;  // a reload was under way
  };
  Daemon(const DaemonAsk& ask, Deployment deployment, Journal journal, UniqueFd listener,
         Again again)
      : folder_(ask.folder),
        journal_(std::move(journal)),
        runner_(loop_,
                RunnerAsk{.deployment = std::move(deployment),
                          .folder = ask.folder,
                          .program = ask.program,
                          .first = again.layout,
                          .ladder = !again.resume && (ask.ladder || !again.memory.proven),
                          .left_out = again.memory.left_out,
                          .machine = again.machine,
                          .before = std::move(again.before),
                          .resume = again.resume,
                          .patience = {}},
                journal_),
        began_(again.began),
        gateway_(loop_, GatewayAsk{.folder = ask.folder,
                                   .program = ask.program,
                                   .host = runner_.deployment().host,
                                   .port = runner_.deployment().port}),
        signals_(loop_, SIGTERM, SIGINT),
        api_(loop_, std::move(listener),
             [this](const ApiRequest& request) { return answer(request); }) {
    runner_.finished = [this](bool asked) {
      if (!asked) return publish();  // given up: stays to say why, and nobody waits
      forget_deployment(journal_);
      forget_reload(folder_);
      gateway_.stop(kGatewayGrace);
      end_.expires_after(kLastWords);
      end_.async_wait([this](boost::system::error_code) { loop_.stop(); });
    };
    runner_.reloaded = [this](bool good, const std::string& cause) { reloaded(good, cause); };
    runner_.routes_changed = [this] { publish(); };
    runner_.changed = [this](const Transition&) {
      if (routes().coming != told_coming_) publish();
    };
    runner_.drain = [this](int replica, std::function<void()> done) {
      gateway_.when_idle(replica, std::move(done));
    };
    gateway_.traffic = [this](int replica) { runner_.note_traffic(replica); };
    gateway_.awaiting = [this](int replica, std::uint64_t requests) {
      runner_.note_awaiting(replica, requests);
    };
    runner_.queue_seen = [this](int replica, std::uint64_t waiting) {
      gateway_.tell_load({.replica = replica, .waiting = waiting});
    };
  }

  Result<void> run() {
    signals_.async_wait([this](boost::system::error_code error, int) {
      if (error) return;
      notify_service_manager("STOPPING=1");
      runner_.tell(AskDown{});
    });
    if (auto listens = gateway_.begin(routes()); !listens) return listens;
    watch_log();
    runner_.begin();
    notify_service_manager("READY=1");
    loop_.run();
    return {};
  }

 private:
  void watch_log() {
    keep_own_log_small(folder_);
    log_.expires_after(kLogEvery);
    log_.async_wait([this](boost::system::error_code error) {
      if (!error) watch_log();
    });
  }

  void publish() {
    RouteTable table = routes();
    told_coming_ = table.coming;
    gateway_.publish(std::move(table));
  }

  // Whether its requests may wait for it.
  bool comes(const ReplicaView& view) const {
    using enum ReplicaState;
    const Supervisor& supervisor = runner_.supervisor();
    if (supervisor.finished() || supervisor.going_down() || view.retires) return false;
    if (view.state == Failed) return view.next_try || view.cause.empty();
    return view.state != Ready && view.state != Stopped;
  }

  RouteTable routes() const {
    RouteTable table;
    std::set<std::string> models, coming;
    const Supervisor& supervisor = runner_.supervisor();
    for (const ReplicaView& view : supervisor.view()) {
      using enum ReplicaState;
      models.insert(view.launch->model);
      if (comes(view)) coming.insert(view.launch->model);
      const bool listed = view.state == Ready || view.state == Suspect || view.state == Draining;
      if (!listed || supervisor.on_ladder()) continue;
      const EngineLaunch& launch = *view.launch;
      table.routes.push_back({.replica = view.index,
                              .host = launch.host,
                              .port = launch.port,
                              .model = launch.model,
                              .engine = launch.engine,
                              .key = launch.key,
                              .takes = supervisor.serves(view.index)});
    }
    if (models.size() == 1) table.model = *models.begin();
    const GatewayPolicy& gateway = runner_.deployment().gateway;
    table.aliases = gateway.aliases;
    table.default_model = gateway.default_model;
    table.times.queue = gateway.queue;
    table.times.queue_wait = gateway.queue_wait;
    table.times.silence = gateway.silence;
    table.times.total = gateway.total;
    for (Route& route : table.routes) route.most = gateway.concurrency.value_or(0);
    table.coming.assign(coming.begin(), coming.end());
    return table;
  }

  boost::json::object status() const {
    auto status = status_json(
        runner_, {.notes = notes_since(journal_, began_),
                  .in_flight = [this](int replica) { return gateway_.in_flight(replica); }});
    status["daemon"] = ::getpid();
    if (!last_reload_.empty()) status["last_reload"] = last_reload_;
    return status;
  }

  // "last=8": so many at most, of this deployment.
  std::vector<JournalLine> events(std::string_view query) const {
    constexpr std::string_view kLast = "last=";
    if (!query.starts_with(kLast)) return journal_.latest(kMostEvents);
    const auto wanted = to_integer(query.substr(kLast.size()));
    auto lines = journal_.latest(
        static_cast<int>(std::clamp<long long>(wanted.value_or(0), 0, kMostEvents)));
    std::erase_if(lines, [&](const JournalLine& line) { return line.unix_ms < began_; });
    return lines;
  }

  ApiReply answer(const ApiRequest& request) {
    const auto accepted = [&] {
      return ApiReply{.status = 202, .json = boost::json::serialize(status())};
    };
    if (request.method == "GET" && request.path == "/v1/status")
      return {.status = 200, .json = boost::json::serialize(status())};
    if (request.method == "GET" && request.path == "/v1/events")
      return {.status = 200, .json = boost::json::serialize(events_json(events(request.query)))};
    if (request.method == "POST" && request.path == "/v1/down") {
      runner_.tell(AskDown{.at_once = request.query == "now=1"});
      return accepted();
    }
    if (request.method == "POST" && request.path == "/v1/reload") {
      if (auto turns = reload(request.body); !turns)
        return api_error(409, "no-reload", {turns.error().what, turns.error().chinese});
      return accepted();
    }
    const auto replica = replica_path(request.path);
    if (request.method == "POST" && replica) {
      const auto replicas = runner_.supervisor().view();
      if (std::ranges::find(replicas, replica->index, &ReplicaView::index) == replicas.end())
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

  Result<void> reload(const std::string& text) {
    SX_TRY(Deployment wanted, read_deployment(text));
    const Supervisor& supervisor = runner_.supervisor();
    if (auto may = may_turn_into(supervisor.deployment(), wanted); !may) return may;
    if (!supervisor.may_change())
      return fail(Error::Kind::Refused, in_both({supervisor.going_down() ? kGoesDown : kNotNow}));
    const bool back = !supervisor.finished() && !supervisor.change();
    const auto before = back ? std::optional(supervisor.deployment()) : std::nullopt;
    if (auto noted = note_reload(folder_, journal_, wanted, before); !noted) return noted;
    note_anyway(journal_, wanted);
    last_reload_.clear();
    runner_.tell(AskReload{std::move(wanted)});
    return {};
  }

  void reloaded(bool good, const std::string& cause) {
    const Both words =
        good ? in_both({kReloaded}) : in_both({kWentBack, {{"cause", cause_words(cause)}}});
    last_reload_ = {{"good", good}, {"cause", cause}};
    JournalNote note{.unix_ms = unix_ms(), .name = good ? "reloaded" : "went-back", .words = words};
    [[maybe_unused]] const auto added = journal_.add(note);
    [[maybe_unused]] const auto noted =
        note_reload_end(folder_, journal_, runner_.supervisor().deployment());
    publish();  // names and limits of the gateway may be all that changed
  }

  StateFolder folder_;
  boost::json::object last_reload_;
  asio::io_context loop_{1};
  Journal journal_;
  Runner runner_;
  std::int64_t began_;
  GatewayLink gateway_;
  std::vector<std::string> told_coming_;
  asio::steady_timer end_{loop_}, log_{loop_};
  asio::signal_set signals_;
  ApiServer api_;
};

std::vector<std::optional<LayoutRecord>> known_layouts(const Deployment& deployment,
                                                       const Journal& journal,
                                                       const std::string& machine) {
  std::vector<std::optional<LayoutRecord>> known;
  for (const DeployedLayout& layout : deployment.layouts)
    known.push_back(journal.layout(layout_key(layout, machine)));
  return known;
}

// What the journal has to say before anything starts. Gives the moment from which notes count.
std::int64_t begin_notes(Journal& journal, const Daemon::Again& again,
                         const std::optional<std::string>& set_aside) {
  const auto earlier = to_number(journal.remembered(kBegan).value_or(""));
  const std::int64_t now = unix_ms();
  const auto note = [&](const std::string& name, const Both& words) {
    [[maybe_unused]] const auto added =
        journal.add(JournalNote{.unix_ms = now, .name = name, .words = words});
  };
  if (set_aside) note("journal-damaged", in_both({kSetAside, {{"path", *set_aside}}}));
  if (again.resume && earlier) return static_cast<std::int64_t>(*earlier);
  for (const Both& words : again.memory.notes) note("layout-known-bad", words);
  [[maybe_unused]] const auto noted = journal.remember(kBegan, std::to_string(now));
  return now;
}

Result<void> take_deployment(const DaemonAsk& ask) {
  if (ask.deployment.empty()) return {};
  if (::rename(ask.deployment.c_str(), ask.folder.deployment().c_str()) == 0) return {};
  const std::string why = std::strerror(errno);
  return fail(Error::Kind::Refused, "cannot take " + ask.deployment + ": " + why,
              "无法取用 " + ask.deployment + "：" + why);
}

}  // namespace

Result<void> run_daemon(const DaemonAsk& ask) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a keeper that was killed leaves comes home to us
  SX_TRY(const UniqueFd lock, take_state_folder(ask.folder));
  if (auto taken = take_deployment(ask); !taken) return taken;
  SX_TRY(const auto text, real_files().read(ask.folder.deployment(), kMostDeployment));
  SX_TRY(auto deployment, read_deployment(text));
  std::optional<std::string> set_aside;
  SX_TRY(auto journal, Journal::open(ask.folder.journal(), &set_aside));
  SX_TRY(auto listener, listen_local(ask.folder.api()));
  Daemon::Again again;
  const auto layout = to_number(journal.remembered("layout").value_or(""));
  again.resume = is_noted(journal, text) && layout && *layout >= 0 &&
                 *layout < static_cast<double>(deployment.layouts.size());
  again.machine = machine_words(real_files());
  if (!ask.retry_known_bad)
    again.memory = remembered_layouts(deployment, known_layouts(deployment, journal, again.machine),
                                      unix_ms());
  again.layout = again.resume ? static_cast<std::size_t>(*layout) : again.memory.first;
  again.began = begin_notes(journal, again, set_aside);
  if (again.resume) again.before = before_reload(ask.folder);
  if (!again.resume) forget_reload(ask.folder);
  if (auto noted = note_deployment(journal, text); !noted) return noted;
  if (!again.resume) note_anyway(journal, deployment);
  auto ran =
      Daemon(ask, std::move(deployment), std::move(journal), std::move(listener), again).run();
  ::unlink(ask.folder.api().c_str());
  return ran;
}

}  // namespace sx
