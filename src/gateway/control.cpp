// Lines of JSON both ways; each peer is bounded in what it may send and in what waits for it.
#include "gateway/control.h"

#include <fcntl.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <boost/json.hpp>

#include "run/json_fields.h"
#include "sys/local_socket.h"

namespace sx {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using Local = asio::local::stream_protocol;

constexpr std::size_t kMostPeers = 16;  // the daemon, one that comes back, and a person or two
constexpr std::size_t kMostLine = std::size_t{1} << 20U;
constexpr std::size_t kMostWaiting = std::size_t{256}
                                     << 10U;  // then a peer that does not read goes
constexpr std::chrono::seconds kTell{1};
constexpr std::int64_t kMostGrace = 86'400;

}  // namespace

Result<ControlAsk> read_control(std::string_view line) {
  constexpr std::string_view kWhat = "the line to the gateway";
  SX_TRY(const auto object, json_object(line, kWhat));
  JsonFields fields(object, kWhat);
  const std::string what = fields.text("do");
  ControlAsk ask;
  if (what == "routes") {
    SX_TRY(ask.routes, read_routes(line));
    ask.kind = ControlAsk::Kind::Routes;
  } else if (what == "listener") {
    ask.kind = ControlAsk::Kind::Listener;
  } else if (what == "loads") {
    SX_TRY(ask.loads, read_loads(object));
    ask.kind = ControlAsk::Kind::Loads;
  } else if (what == "states") {
    SX_TRY(ask.states, read_states(object));
    ask.kind = ControlAsk::Kind::States;
  } else if (what == "explain") {
    SX_TRY(ask.question, read_question(object));
    ask.kind = ControlAsk::Kind::Explain;
  } else if (what == "stop") {
    ask.grace = std::chrono::seconds(fields.number_or("grace_s", 0, kMostGrace, 0));
    ask.kind = ControlAsk::Kind::Stop;
  }
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  return ask;
}

// Shared: its read and its write each may be the last to end.
class GatewayControl::Peer : public std::enable_shared_from_this<Peer> {
 public:
  Peer(GatewayControl& control, Local::socket socket)
      : control_(&control), socket_(std::move(socket)) {}

  void read() {
    asio::async_read_until(socket_, asio::dynamic_buffer(heard_, kMostLine), '\n',
                           [self = shared_from_this()](LoopError error, std::size_t count) {
                             if (error || self->control_ == nullptr) return self->end();
                             const std::string line = self->heard_.substr(0, count - 1);
                             self->heard_.erase(0, count);
                             self->control_->take(*self, line);
                             if (self->socket_.is_open()) self->read();
                           });
  }

  void tell(const std::string& line) {
    if (next_.size() > kMostWaiting) return end();
    next_ += line;
    if (now_.empty()) write();
  }

  void give(int listener) {
    if (!send_descriptors(socket_.native_handle(), "{\"listener\":true}\n", {listener})) end();
  }

  void end() {
    if (control_ != nullptr) control_->forget(*this);
    control_ = nullptr;
    LoopError ignored;
    socket_.close(ignored);
  }

 private:
  void write() {
    now_.swap(next_);
    asio::async_write(socket_, asio::buffer(now_),
                      [self = shared_from_this()](LoopError error, std::size_t) {
                        self->now_.clear();
                        if (error) return self->end();
                        if (!self->next_.empty()) self->write();
                      });
  }

  GatewayControl* control_;  // null: it has ended
  Local::socket socket_;
  std::string heard_, now_, next_;
};

GatewayControl::GatewayControl(Relay& relay, UniqueFd socket)
    : relay_(relay),
      socket_(std::move(socket)),
      waits_(relay.loop, ::fcntl(socket_.get(), F_DUPFD_CLOEXEC, 3)),
      tick_(relay.loop) {
  relay_.changed = [this] { tell(); };
  wait();
  tick();
}

GatewayControl::~GatewayControl() {
  relay_.changed = {};
  while (!peers_.empty()) (*peers_.begin())->end();
}

void GatewayControl::close() {
  LoopError ignored;
  waits_.close(ignored);
  socket_.reset();
}

void GatewayControl::wait() {
  waits_.async_wait(asio::posix::stream_descriptor::wait_read, [this](LoopError error) {
    if (error) return;
    accept();
    wait();
  });
}

void GatewayControl::accept() {
  UniqueFd fd = accept_local(socket_.get());
  if (!fd.open() || peers_.size() >= kMostPeers) return;
  Local::socket socket(relay_.loop);
  LoopError error;
  socket.assign(Local(), ::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3), error);
  if (error) return;
  const auto peer = std::make_shared<Peer>(*this, std::move(socket));
  peers_.insert(peer.get());
  peer->read();
}

void GatewayControl::take(Peer& peer, std::string_view line) {
  auto ask = read_control(line);
  if (!ask) return peer.end();
  switch (ask->kind) {
    case ControlAsk::Kind::Routes:
      return relay_.set_routes(ask->routes);
    case ControlAsk::Kind::Listener:
      if (relay_.listener() < 0) return peer.end();
      return peer.give(relay_.listener());
    case ControlAsk::Kind::Loads:
      return relay_.set_loads(ask->loads);
    case ControlAsk::Kind::States:
      told_states_ = &peer;
      relay_.states = std::move(ask->states);
      return;
    case ControlAsk::Kind::Explain:
      return peer.tell(explained_json(explain_route(relay_, ask->question)) + '\n');
    case ControlAsk::Kind::Stop:
      if (stop) stop(ask->grace);
      return;
    case ControlAsk::Kind::Unknown:
      return;  // of a newer daemon
  }
}

// What nobody tells any more is not known any more.
void GatewayControl::forget(Peer& peer) {
  peers_.erase(&peer);
  if (told_states_ != &peer) return;
  told_states_ = nullptr;
  relay_.states.clear();
}

std::string GatewayControl::counts() const {
  json::array replicas;
  for (const auto& replica : relay_.replicas()) {
    replicas.push_back(json::object{{"replica", replica->route.replica},
                                    {"in_flight", replica->in_flight},
                                    {"bytes", replica->bytes},
                                    {"awaiting", replica->awaiting},
                                    {"silent_ms", replica->silent(relay_.now()).count()},
                                    {"load", replica->load}});
  }
  const GatewayCounters& all = relay_.counters;
  return json::serialize(json::object{{"version", relay_.version()},
                                      {"requests", all.requests},
                                      {"answered", all.answered},
                                      {"in_flight", all.in_flight},
                                      {"connections", all.connections_open},
                                      {"refused", all.refused},
                                      {"unserved", all.unserved},
                                      {"lost", all.lost},
                                      {"retries", all.retries},
                                      {"stale", all.stale},
                                      {"cut", all.cut},
                                      {"client_gone", all.client_gone},
                                      {"slow_clients", all.slow_clients},
                                      {"body_bytes", all.body_bytes},
                                      {"waiting", relay_.waiting.size()},
                                      {"replicas", std::move(replicas)}}) +
         '\n';
}

void GatewayControl::tell() {
  if (peers_.empty()) return;
  const std::string line = counts();
  const std::vector<Peer*> all(peers_.begin(), peers_.end());  // one that ends leaves the set
  for (Peer* peer : all) {
    const auto alive = peer->shared_from_this();
    peer->tell(line);
  }
}

void GatewayControl::tick() {
  tell();
  tick_.expires_after(kTell);
  tick_.async_wait([this](LoopError error) {
    if (!error) tick();
  });
}

}  // namespace sx
