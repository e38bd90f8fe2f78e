// The table of replicas, their idle connections, and the one timer that all deadlines share.
#include "gateway/relay.h"

#include <algorithm>

#include "gateway/metrics_page.h"
#include "gateway/session.h"
#include "gateway/tls_door.h"

namespace sx {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

constexpr milliseconds kTick{50};          // how late a deadline is seen
constexpr milliseconds kLookAtKeys{1000};  // a revoked key works on for so long at most
constexpr std::size_t kMostBuffers = 256;  // kept for the next streams: 4 MiB

std::string front_of(const Route& route) {
  const bool six = route.host.find(':') != std::string::npos;
  const std::string host = six ? '[' + route.host + ']' : route.host;
  std::string front = "Host: " + host + ':' + std::to_string(route.port) + "\r\n";
  if (!route.key.empty()) front += "Authorization: Bearer " + route.key + "\r\n";
  return front;
}

}  // namespace

bool GatewayReplica::serves(std::string_view model) const {
  return models.empty() || model.empty() || std::ranges::find(models, model) != models.end();
}

Relay::Relay(asio::io_context& in, RelayLimits with)
    : loop(in), sockets(in), limits(with), tick_(in), pause_(in), usual_(with) {
  waiting.most = limits.queue;
  tick();
}
Relay::~Relay() {
  std::exchange(sessions_, {}).each([](ClientSession& session) { session.abandon(); });
}

void Relay::tick() {
  now_ = GatewayClock::now();
  books.tick(now_);
  if (books.spans && trouble) {
    if (const auto news = books.spans->news()) trouble(*news);
  }
  if (now_ - looked_ >= kLookAtKeys) {
    looked_ = now_;
    if (const auto read = books.key_file.look(); !read && trouble) trouble(read.error());
  }
  sessions_.look(now_);
  if (draining_ && now_ >= cut_at_)
    sessions_.each([](ClientSession& session) { session.cut_off(); });
  waiting.call_next_of_all();  // rests and the like have come to their end
  for (const auto& replica : replicas_) {
    std::erase_if(replica->pool,
                  [&](const PooledSocket& one) { return now_ - one.since > limits.pooled; });
  }
  tick_.expires_after(kTick);
  tick_.async_wait([this](LoopError error) {
    if (!error) tick();
  });
}

void Relay::set_routes(const RouteTable& table) {
  std::vector<std::shared_ptr<GatewayReplica>> next;
  for (const Route& route : table.routes) {
    const auto same = std::ranges::find_if(replicas_, [&](const auto& old) {
      return old->route.replica == route.replica && old->route.host == route.host &&
             old->route.port == route.port;
    });
    auto replica = same == replicas_.end() ? std::make_shared<GatewayReplica>() : *same;
    LoopError error;
    replica->endpoint = {asio::ip::make_address(route.host, error),
                         static_cast<unsigned short>(route.port)};
    if (error) continue;  // the daemon resolves names; one that is none reaches nobody
    replica->route = route;
    replica->front = front_of(route);
    if (!route.model.empty()) replica->models = {route.model};
    next.push_back(std::move(replica));
  }
  replicas_.swap(next);
  table_ = table;
  take_times(table.times);
  for (const auto& old : next) {
    if (std::ranges::find(replicas_, old) != replicas_.end()) continue;
    old->pool.clear();
    sessions_.each([&](ClientSession& session) { session.taken_out(*old); });
  }
  waiting.call_all();
  if (changed) changed();
}

void Relay::set_models(int replica, std::vector<std::string> models) {
  for (const auto& one : replicas_) {
    if (one->route.replica == replica) one->models = std::move(models);
  }
}

bool Relay::takes_any() const {
  return std::ranges::any_of(replicas_, [](const auto& one) { return one->route.takes; });
}

bool Relay::knows(std::string_view model) const {
  return model == table_.model || comes(model) || table_.down.contains(std::string(model)) ||
         std::ranges::any_of(replicas_, [&](const auto& one) { return one->serves(model); });
}

// While nobody knows what replicas serve, clients may ask for any name: nothing is counted by it.
std::size_t Relay::number_of(std::string_view model) {
  if (const auto known = books.metrics.known_model(model)) return *known;
  const bool listed = model == table_.model || std::ranges::any_of(replicas_, [&](const auto& one) {
                        return std::ranges::find(one->models, model) != one->models.end();
                      });
  return listed ? books.metrics.model(model) : 0;
}

std::string Relay::metrics(bool open_metrics) {
  return metrics_page({.metrics = books.metrics,
                       .counters = counters,
                       .replicas = replicas_,
                       .states = states,
                       .keys = books.keys,
                       .waiting = waiting.size(),
                       .key_file_good = books.key_file.good(),
                       .tls = door_ ? &door_->numbers() : nullptr,
                       .spans = books.spans ? std::optional(books.spans->numbers()) : std::nullopt,
                       .lines_lost = books.access_log ? books.access_log->lost() : 0,
                       .now = now_,
                       .open_metrics = open_metrics});
}

std::unique_ptr<LoopSocket> Relay::take_pooled(GatewayReplica& replica) {
  while (!replica.pool.empty()) {
    PooledSocket last = std::move(replica.pool.back());
    replica.pool.pop_back();
    if (last.socket->usable()) return std::move(last.socket);
  }
  return nullptr;
}

void Relay::give_pooled(GatewayReplica& replica, std::unique_ptr<LoopSocket> socket) {
  const bool listed =
      std::ranges::any_of(replicas_, [&](const auto& one) { return one.get() == &replica; });
  if (!listed || draining_ || replica.pool.size() >= limits.pool) return;
  replica.pool.push_back({std::move(socket), now_});
}

void Relay::failed(GatewayReplica& replica) {
  replica.rests = now_ + limits.rest;
  replica.pool.clear();
}

void Relay::flight_ended(const GatewayReplica& replica) {
  if (!replica.route.takes && replica.in_flight == 0 && changed) {
    changed();
    sockets.ask_asio();
  }
  waiting.call_next_of_all();
}

std::unique_ptr<char[]> Relay::take_buffer() {
  if (buffers_.empty()) return std::make_unique_for_overwrite<char[]>(kPieceBytes);
  auto buffer = std::move(buffers_.back());
  buffers_.pop_back();
  return buffer;
}

void Relay::give_buffer(std::unique_ptr<char[]> buffer) {
  if (buffer && buffers_.size() < kMostBuffers) buffers_.push_back(std::move(buffer));
}

}  // namespace sx
