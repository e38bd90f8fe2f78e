// Lines of JSON over gateway.sock, a pidfd for its end, a timer for the next try.
#include "gateway/link.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/json.hpp>
#include <csignal>
#include <deque>
#include <map>
#include <utility>

#include "gateway/link_listener.h"
#include "run/json_fields.h"
#include "sys/files.h"
#include "sys/local_socket.h"
#include "sys/save_file.h"
#include "sys/spawn.h"
#include "sys/wall_clock.h"

namespace sx {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using Local = asio::local::stream_protocol;
using boost::system::error_code;
using std::chrono::milliseconds;

constexpr int kListenerAt = 3;             // the gateway finds the socket there
constexpr milliseconds kConnectEvery{10};  // at first: it begins at once, mostly
constexpr milliseconds kConnectAtMost{1000};
constexpr milliseconds kShortLife{1000};  // one that ends sooner did not work
constexpr milliseconds kWaitAfter{1000};  // then the next one waits
constexpr Bytes kMostRoutes = mib(4);
constexpr std::size_t kMostLine = std::size_t{1} << 20U;
constexpr std::size_t kMostUnread = 64;  // lines

}  // namespace

struct GatewayLink::Inside {
  Inside(asio::io_context& in, GatewayAsk asked, GatewayLink& owner)
      : loop(in), ask(std::move(asked)), out(owner), again(in), control(in) {
    const auto before = real_files().read(ask.folder.routes(), kMostRoutes);
    if (const auto table = before ? read_routes(*before) : Result<RouteTable>(RouteTable{}))
      version = std::max(version, table->version);
  }

  Result<void> begin(RouteTable first) {
    listener = listener_of_gateway(ask.folder.gateway());
    began = std::chrono::steady_clock::now();
    if (listener.open()) {
      connect();
      return {};
    }
    SX_TRY(listener, listen_for_clients(ask.host, ask.port));
    first.version = ++version;
    [[maybe_unused]] const auto saved = save_file(ask.folder.routes(), routes_line(first), 0600);
    start();
    return {};
  }

  void start() {
    if (stopping) return;
    SpawnAsk gateway{.words = {ask.program, "relay", ask.folder.path}, .environment = {}};
    gateway.folder = ask.folder.path;
    gateway.err = STDERR_FILENO;  // what it has to say belongs into our own log
    gateway.keep = {{listener.get(), kListenerAt}};
    auto spawned = spawn(gateway);
    began = std::chrono::steady_clock::now();
    met = false;
    connect_wait = kConnectEvery;
    if (!spawned) {
      retry(kWaitAfter);
      return;
    }
    child = spawned->pid;
    watch_end(std::move(spawned->pidfd));
    connect();
  }

  void watch_end(UniqueFd pidfd) {
    ends = std::make_unique<asio::posix::stream_descriptor>(
        loop, ::fcntl(pidfd.get(), F_DUPFD_CLOEXEC, 3));
    ends->async_wait(asio::posix::stream_descriptor::wait_read, [this](error_code error) {
      if (!error) ended();
    });
  }

  void ended() {
    if (child > 0) ::waitpid(child, nullptr, WNOHANG);
    child = 0;
    ends.reset();
    hang_up();
    // Nobody can tell any more what was in flight: it was cut with the gateway.
    for (auto& [replica, waiting] : idle_waits) {
      for (auto& done : waiting) asio::post(loop, std::move(done));
    }
    idle_waits.clear();
    in_flight.clear();
    const bool lived = std::chrono::steady_clock::now() - began > kShortLife;
    retry(lived ? milliseconds(0) : kWaitAfter);
  }

  void retry(milliseconds wait) {
    if (stopping) return;
    again.expires_after(wait);
    again.async_wait([this](error_code error) {
      if (!error) start();
    });
  }

  // Until it listens: it has just been started.
  void connect() {
    if (stopping || control.is_open()) return;
    auto peer = connect_local(ask.folder.gateway());
    if (!peer) return connect_later();
    met = true;
    connect_wait = kConnectEvery;
    if (!ends) {
      const auto identity = identity_of(peer_of(peer->get()));
      UniqueFd pidfd = identity ? watch(*identity) : UniqueFd();
      if (pidfd.open()) watch_end(std::move(pidfd));
    }
    error_code ignored;
    control.assign(Local(), ::fcntl(peer->get(), F_DUPFD_CLOEXEC, 3), ignored);
    send(Said::Table, line);
    send(Said::States, states);
    read();
  }

  // Less and less often. One that was started and never listened is ended, so that another one
  // takes its place; one that handed its socket over and has gone is followed by ours.
  void connect_later() {
    const bool late = !met && std::chrono::steady_clock::now() - began > ask.comes_up;
    if (late && child > 0) {
      ::kill(child, SIGKILL);  // its end is watched
      return;
    }
    if (late && !ends) return start();
    again.expires_after(connect_wait);
    connect_wait = std::min(connect_wait * 2, kConnectAtMost);
    again.async_wait([this](error_code error) {
      if (!error) connect();
    });
  }

  void hang_up() {
    error_code ignored;
    ++call;
    control.close(ignored);
    outgoing.clear();
    heard.clear();
    for (const auto& [replica, bytes] : seen_bytes) {
      if (out.awaiting) out.awaiting(replica, 0);
    }
  }

  enum class Said { Table, States, Load, Stop };

  // A gateway that does not read must not fill our memory: loads that come too late are worth
  // nothing, and of what is told whole only the latest counts beside the one that is being written.
  void send(Said what, const std::string& text) {
    if (!control.is_open() || text.empty()) return;
    if (what == Said::Load && outgoing.size() >= kMostUnread) return;
    const bool whole = what == Said::Table || what == Said::States;
    if (whole && outgoing.size() > 1) {
      const auto same = [&](const auto& one) { return one.first == what; };
      outgoing.erase(std::remove_if(outgoing.begin() + 1, outgoing.end(), same), outgoing.end());
    }
    outgoing.emplace_back(what, text + '\n');
    if (outgoing.size() == 1) write();
  }

  void write() {
    asio::async_write(control, asio::buffer(outgoing.front().second),
                      [this, mine = call](error_code error, std::size_t) {
                        if (mine != call || error) return;
                        outgoing.pop_front();
                        if (!outgoing.empty()) write();
                      });
  }

  void read() {
    asio::async_read_until(control, asio::dynamic_buffer(heard, kMostLine), '\n',
                           [this, mine = call](error_code error, std::size_t count) {
                             if (mine != call) return;
                             if (error) {
                               hang_up();
                               if (ends) connect();
                               return;
                             }
                             take(heard.substr(0, count - 1));
                             heard.erase(0, count);
                             read();
                           });
  }

  void take(const std::string& text) {
    const auto object = json_object(text, "the gateway's line");
    if (!object) return;
    JsonFields whole(*object, "the gateway's line");
    acts_on = whole.number_or("version", 0, std::int64_t{1} << 60, 0);
    const auto* replicas = object->if_contains("replicas");
    if (replicas == nullptr || !replicas->is_array()) return;
    for (const json::value& value : replicas->get_array()) {
      if (!value.is_object()) continue;
      JsonFields fields(value.get_object(), "a replica");
      const int replica = static_cast<int>(fields.number("replica", 0, 1 << 20));
      const auto flying = fields.number("in_flight", 0, 1 << 30);
      const auto bytes = fields.number_or("bytes", 0, std::int64_t{1} << 60, 0);
      if (!fields.error()) continue;
      in_flight[replica] = flying;
      const auto awaits = fields.number_or("awaiting", 0, 1 << 30, 0);
      if (out.awaiting) out.awaiting(replica, static_cast<std::uint64_t>(awaits));
      if (bytes > seen_bytes[replica] && out.traffic) out.traffic(replica);
      seen_bytes[replica] = bytes;
      // Zero counts only once it knows that no new ones may come.
      if (flying == 0 && acts_on >= version) idle(replica);
    }
  }

  void idle(int replica) {
    const auto found = idle_waits.find(replica);
    if (found == idle_waits.end()) return;
    const auto waiting = std::move(found->second);
    idle_waits.erase(found);
    for (const auto& done : waiting) done();
  }

  asio::io_context& loop;
  GatewayAsk ask;
  GatewayLink& out;
  UniqueFd listener;
  asio::steady_timer again;
  Local::socket control;
  std::unique_ptr<asio::posix::stream_descriptor> ends;
  pid_t child = 0;
  std::chrono::steady_clock::time_point began;
  milliseconds connect_wait{kConnectEvery};
  bool met = false;  // it has listened since it was started
  // Ours and the gateway's word. A gateway that was taken over knows the versions of an earlier
  // daemon, which must all be smaller: those in its file and, were that lost, those of a clock that
  // went on.
  std::int64_t version = unix_ms(), acts_on = 0;
  // Empty until there is a table to tell: a gateway that a daemon before us left keeps its own.
  std::string line, states, heard;
  std::deque<std::pair<Said, std::string>> outgoing;
  // What is on its way when a connection ends is told to handlers later, and is no news of the
  // next.
  std::uint64_t call = 0;
  std::map<int, std::int64_t> in_flight, seen_bytes;
  std::map<int, std::vector<std::function<void()>>> idle_waits;
  bool stopping = false;
};

GatewayLink::GatewayLink(asio::io_context& loop, GatewayAsk ask)
    : inside_(std::make_unique<Inside>(loop, std::move(ask), *this)) {}
GatewayLink::~GatewayLink() = default;

Result<void> GatewayLink::begin(RouteTable first) { return inside_->begin(std::move(first)); }

void GatewayLink::publish(RouteTable table) {
  table.version = ++inside_->version;
  inside_->line = routes_line(table);
  [[maybe_unused]] const auto saved = save_file(inside_->ask.folder.routes(), inside_->line, 0600);
  inside_->send(Inside::Said::Table, inside_->line);
}

void GatewayLink::tell_states(const std::vector<ToldState>& states) {
  std::string line = states_line(states);
  if (line == inside_->states) return;
  inside_->states = std::move(line);
  inside_->send(Inside::Said::States, inside_->states);
}

void GatewayLink::tell_load(const EngineLoad& load) {
  inside_->send(Inside::Said::Load, loads_line({load}));
}

void GatewayLink::when_idle(int replica, std::function<void()> done) {
  if (!inside_->control.is_open()) {
    asio::post(inside_->loop, std::move(done));
    return;
  }
  inside_->idle_waits[replica].push_back(std::move(done));
}

std::optional<std::int64_t> GatewayLink::in_flight(int replica) const {
  const auto found = inside_->in_flight.find(replica);
  if (found == inside_->in_flight.end()) return std::nullopt;
  return found->second;
}

void GatewayLink::stop(std::chrono::seconds grace) {
  inside_->stopping = true;
  inside_->again.cancel();
  inside_->listener.reset();
  inside_->send(Inside::Said::Stop,
                "{\"do\":\"stop\",\"grace_s\":" + std::to_string(grace.count()) + '}');
}

}  // namespace sx
