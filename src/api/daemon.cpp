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

#include "api/daemon_begin.h"
#include "api/daemon_end.h"
#include "api/gateway_told.h"
#include "api/own_log.h"
#include "api/reload.h"
#include "api/server.h"
#include "api/status_json.h"
#include "base/strings.h"
#include "diag/message.h"
#include "gateway/link.h"
#include "run/layout_memory.h"
#include "run/runner.h"
#include "run/wanted_file.h"
#include "sys/files.h"
#include "sys/local_socket.h"
#include "sys/notify.h"
#include "sys/system_words.h"
#include "sys/wall_clock.h"

namespace sx {
namespace {

namespace asio = boost::asio;

constexpr Bytes kMostDeployment = mib(16);
constexpr int kMostEvents = 1000;
constexpr std::chrono::seconds kGatewayGrace{2};  // no replica serves any more
constexpr std::chrono::minutes kLogEvery{1};
constexpr std::chrono::milliseconds kLastWords{50};  // for the gateway to hear that it may go

constexpr Text kNotNow{
    "smaller layouts are tried at the moment; what runs can change once a layout has been found",
    "正在逐级尝试布局；找到可用的布局之后才能更改运行的内容"};
constexpr Text kGoesDown{"it is going down", "正在停止"};
constexpr Text kReloaded{"what runs is what the file says now", "运行的内容已与文件一致"};
constexpr Text kWentBack{
    "a new replica did not become ready ({cause}): everything runs as it did before",
    "新的副本没有就绪（{cause}）：已恢复到之前的运行方式"};
constexpr Text kUnwritten{
    "what runs has changed, and the journal could not take that ({why}): a daemon that starts anew "
    "would take the change for unfinished; it is written as soon as there is a way",
    "运行的内容已更改，但没能记入日志库（{why}"
    "）：守护进程若此时重启，会以为更改还没完成；能写入时会补记"};
constexpr Text kWritten{"the end of the change is in the journal now", "更改的结束已补记入日志库"};
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

// Of a deployment that was given up: what its replicas failed of.
Both cause_of_end(const Supervisor& supervisor) {
  for (const ReplicaView& view : supervisor.view()) {
    if (!view.cause.empty()) return cause_words(view.cause);
  }
  return cause_words("");
}

class Daemon {
 public:
  Daemon(const DaemonAsk& ask, Deployment deployment, Journal journal, UniqueFd listener,
         Beginning begins)
      : folder_(ask.folder),
        machine_(begins.machine),
        journal_(std::move(journal)),
        runner_(loop_,
                RunnerAsk{.deployment = std::move(deployment),
                          .folder = ask.folder,
                          .program = ask.program,
                          .first = begins.layout,
                          .ladder = begins.ladder,
                          .left_out = begins.memory.left_out,
                          .machine = begins.machine,
                          .resumed = std::move(begins.resumed),
                          .given_up = std::move(begins.given_up),
                          .resume = begins.resume,
                          .patience = {}},
                journal_),
        began_(begins.began),
        gateway_(loop_, GatewayAsk{.folder = ask.folder,
                                   .program = ask.program,
                                   .host = runner_.deployment().host,
                                   .port = runner_.deployment().port}),
        signals_(loop_, SIGTERM, SIGINT),
        api_(loop_, std::move(listener),
             [this](const ApiRequest& request) { return answer(request); }) {
    runner_.finished = [this](bool asked) {
      if (!asked) return publish();  // given up: stays to say why, and nobody waits
      ended_ = words_of_end(unix_ms(), asked_, given_up_);
      note_end(folder_, journal_, ended_);
      forget_deployment(journal_);
      forget_reload(folder_, journal_);
      gateway_.stop(kGatewayGrace);
      end_.expires_after(kLastWords);
      end_.async_wait([this](boost::system::error_code) { loop_.stop(); });
    };
    runner_.reloaded = [this](bool good, const std::string& cause) { reloaded(good, cause); };
    runner_.turned_back = [this](const std::string& cause) {
      [[maybe_unused]] const auto noted = note_turn_back(folder_, journal_, running(), cause);
    };
    runner_.moves = [this](Deployment wanted) { return move(std::move(wanted)); };
    runner_.routes_changed = [this] { publish(); };
    runner_.changed = [this](const Transition& transition) {
      wedges_.take(transition);
      if (!same_outlook(routes_of(runner_.supervisor()), told_)) publish();
      tell_states();
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

  // Why it ended.
  Result<Both> run() {
    signals_.async_wait([this](boost::system::error_code error, int signal) {
      if (error) return;
      notify_service_manager("STOPPING=1");
      go_down(AskDown{}, asked_by_signal(signal));
    });
    if (auto listens = gateway_.begin(routes_of(runner_.supervisor())); !listens)
      return std::unexpected(listens.error());
    watch_log();
    runner_.begin();
    notify_service_manager("READY=1");
    loop_.run();
    return ended_;
  }

 private:
  // The first who asks is the one who wanted it.
  void go_down(const AskDown& down, const Both& asked) {
    const Supervisor& supervisor = runner_.supervisor();
    if (asked_.empty()) {
      asked_ = asked;
      if (supervisor.finished()) given_up_ = cause_of_end(supervisor);
    }
    runner_.tell(down);
  }

  void watch_log() {
    keep_own_log_small(folder_);
    [[maybe_unused]] const auto written = journal_.write_what_waits(unix_ms());
    if (owes_end_ && !runner_.supervisor().change()) {
      [[maybe_unused]] const auto ended = write_end_of_reload();
    }
    log_.expires_after(kLogEvery);
    log_.async_wait([this](boost::system::error_code error) {
      if (!error) watch_log();
    });
  }

  void publish() {
    told_ = routes_of(runner_.supervisor());
    gateway_.publish(told_);
  }

  void tell_states() { gateway_.tell_states(states_of(runner_.supervisor(), wedges_)); }

  boost::json::object status() const {
    auto status = status_json(
        runner_, {.notes = notes_since(journal_, began_.note),
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
    std::erase_if(lines, [&](const JournalLine& line) {
      return line.id != 0 && line.id <= began_.event;  // 0: not written yet
    });
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
      go_down(AskDown{.at_once = request.query == "now=1"}, asked_by_process(request.peer));
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
      if (replica->verb == "restart") return restart(replica->index);
      if (replica->verb == "drain") {
        runner_.tell(AskDrain{replica->index});
        return accepted();
      }
    }
    return api_error(404, "no-path", in_both({kNoSuchPath, {{"path", request.path}}}));
  }

  Running running() const {
    const Supervisor& supervisor = runner_.supervisor();
    return {.deployment = supervisor.deployment(), .layout = supervisor.layout_index()};
  }

  Result<void> reload(const std::string& text) {
    SX_TRY(Deployment wanted, read_deployment(text));
    const Supervisor& supervisor = runner_.supervisor();
    if (auto may = may_turn_into(supervisor.deployment(), wanted); !may) return may;
    if (!supervisor.may_change())
      return fail(Error::Kind::Refused, in_both({supervisor.going_down() ? kGoesDown : kNotNow}));
    // It begins where a start of it would: at the first layout that is not known to fail here.
    auto memory = remembered_layouts(known_layouts(wanted, journal_, machine_), unix_ms());
    if (auto turns = turn_into({.wanted = wanted,
                                .layout = memory.first,
                                .left_out = memory.left_out,
                                .ladder = !memory.proven});
        !turns)
      return turns;
    note_anyway(journal_, wanted);
    note_layouts(journal_, memory);
    return {};
  }

  // What is on disk first, then what runs.
  Result<void> turn_into(AskReload change) {
    // What the next one goes back to is what runs now, and no earlier one.
    if (auto ended = owes_end_ ? write_end_of_reload() : Result<void>(); !ended) return ended;
    const Supervisor& supervisor = runner_.supervisor();
    const bool back = !supervisor.finished() && !supervisor.change();
    const auto before = back ? std::optional(running()) : std::nullopt;
    if (auto noted = note_reload(folder_, journal_, {change.wanted, change.layout}, before); !noted)
      return noted;
    last_reload_.clear();
    of_no_file_ = false;
    runner_.tell(std::move(change));
    return {};
  }

  // What the runner has found for one that lost its GPUs: a reload to the same layout there, which
  // goes back to where it was when that does not work either.
  Result<void> move(Deployment wanted) {
    const Supervisor& supervisor = runner_.supervisor();
    auto turns = turn_into({.wanted = std::move(wanted),
                            .layout = supervisor.layout_index(),
                            .left_out = supervisor.left_out()});
    of_no_file_ = turns.has_value();
    return turns;
  }

  // One that serves goes on until another one stands in for it, where there is room for both.
  ApiReply restart(int replica) {
    const Supervisor& supervisor = runner_.supervisor();
    std::optional<Both> why;
    bool beside = false;
    if (supervisor.serves(replica) && supervisor.may_change() && !supervisor.change()) {
      PortClaims chosen(PortRole::Chooser);
      auto wanted = runner_.with_one_beside(replica, chosen);
      if (wanted) {
        const auto turns = turn_into({.wanted = std::move(*wanted),
                                      .layout = supervisor.layout_index(),
                                      .left_out = supervisor.left_out()});
        beside = turns.has_value();
        of_no_file_ = beside;
        if (!turns) why = Both{turns.error().what, turns.error().chinese};
      } else {
        why = Both{wanted.error().what, wanted.error().chinese};
      }
    }
    if (!beside) runner_.tell(AskRestart{replica});
    auto told = status();
    told["restart"] = restart_json(replica, beside, why);
    return {.status = 202, .json = boost::json::serialize(told)};
  }

  void reloaded(bool good, const std::string& cause) {
    const Both words =
        good ? in_both({kReloaded}) : in_both({kWentBack, {{"cause", cause_words(cause)}}});
    last_reload_ = {{"good", good}, {"cause", cause}};
    JournalNote note{.unix_ms = unix_ms(), .name = good ? "reloaded" : "went-back", .words = words};
    // A move or a restart was said when it began, and is nothing that a file says.
    if (!std::exchange(of_no_file_, false) || !good) {
      [[maybe_unused]] const auto added = journal_.add(note);
    }
    [[maybe_unused]] const auto noted = write_end_of_reload();
    publish();  // names and limits of the gateway may be all that changed
  }

  // Said once when it is refused, and once when it has been made up for.
  Result<void> write_end_of_reload() {
    auto written = note_reload_end(folder_, journal_, running());
    if (std::exchange(owes_end_, !written) == owes_end_) return written;
    const Both words =
        written ? in_both({kWritten}) : in_both({kUnwritten, {{"why", written.error().words()}}});
    [[maybe_unused]] const auto added =
        journal_.add(JournalNote{.unix_ms = unix_ms(),
                                 .name = written ? "reload-written" : "reload-unwritten",
                                 .words = words});
    return written;
  }

  StateFolder folder_;
  Both asked_, given_up_, ended_;  // who wants it to end, what was so before, and all of it
  std::string machine_;
  boost::json::object last_reload_;
  asio::io_context loop_{1};
  Journal journal_;
  Runner runner_;
  JournalMark began_;
  GatewayLink gateway_;
  RouteTable told_;  // what the gateway was told last
  WedgeCount wedges_;
  bool of_no_file_ = false;  // the reload that is under way is a move or a restart
  bool owes_end_ = false;    // the last one has ended, and on disk it has not
  asio::steady_timer end_{loop_}, log_{loop_};
  asio::signal_set signals_;
  ApiServer api_;
};

Result<void> take_deployment(const DaemonAsk& ask) {
  if (ask.deployment.empty()) return {};
  if (::rename(ask.deployment.c_str(), ask.folder.deployment().c_str()) == 0) return {};
  const Both why = system_words(errno);
  return fail(Error::Kind::Refused, "cannot take " + ask.deployment + ": " + why.english,
              "无法取用 " + ask.deployment + "：" + why.chinese);
}

}  // namespace

Result<Both> run_daemon(const DaemonAsk& ask) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a keeper that was killed leaves comes home to us
  SX_TRY(const UniqueFd lock, take_state_folder(ask.folder));
  if (auto taken = take_deployment(ask); !taken) return std::unexpected(taken.error());
  clear_wanted_files(ask.folder);
  SX_TRY(const auto text, real_files().read(ask.folder.deployment(), kMostDeployment));
  SX_TRY(auto deployment, read_deployment(text));
  std::optional<std::string> set_aside;
  SX_TRY(auto journal, Journal::open(ask.folder.journal(), &set_aside));
  SX_TRY(auto listener, listen_local(ask.folder.api()));
  SX_TRY(auto begins, begin_deployment(ask, text, deployment, journal, set_aside));
  auto ran =
      Daemon(ask, std::move(deployment), std::move(journal), std::move(listener), std::move(begins))
          .run();
  ::unlink(ask.folder.api().c_str());
  return ran;
}

}  // namespace sx
