// The relay: takes clients in, knows the replicas, looks at every deadline. Sessions do the rest.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <unordered_set>

#include "base/unique_fd.h"
#include "gateway/books.h"
#include "gateway/limits.h"
#include "gateway/models_page.h"
#include "gateway/replica.h"
#include "gateway/routes.h"
#include "gateway/routing.h"
#include "gateway/waiting.h"

namespace sx {

class ClientSession;

// Every connection is two descriptors: as many as this process may have.
void take_all_descriptors();

class Relay {
 public:
  Relay(boost::asio::io_context& loop, RelayLimits limits);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  // `listener` is a listening TCP socket.
  Result<void> listen(UniqueFd listener);
  int listener() { return acceptor_.is_open() ? acceptor_.native_handle() : -1; }

  int port();  // it listens on; 0: none

  // The whole table: connections of a replica that is not in it any more are cut.
  void set_routes(const RouteTable& table);
  // What a replica was found to serve.
  void set_loads(const std::vector<EngineLoad>& loads);
  void set_models(int replica, std::vector<std::string> models);
  // No new connections; those without a request end, the others get so long.
  void drain(std::chrono::seconds grace, std::function<void()> done);

  std::int64_t version() const { return table_.version; }
  const std::vector<std::shared_ptr<GatewayReplica>>& replicas() const { return replicas_; }
  std::vector<std::string> models() const;  // that are served, sorted
  bool takes_any() const;

  // For sessions.
  struct Chosen {
    std::shared_ptr<GatewayReplica> replica;  // null: none
    std::string_view why;
    bool full = false;  // some are there and have as much as they take
  };
  using Tried = std::vector<std::shared_ptr<GatewayReplica>>;
  Chosen choose_replica(std::string_view model, const RouteKey& key, const Tried& tried);
  // The same without choosing: whether one could be had.
  const std::vector<RouteCandidate>& candidates(std::string_view model);
  bool has_replica(std::string_view model, const RouteKey& key, const Tried& tried);
  // What is meant by a name: itself, or the model it is another name for.
  std::string_view meant_by(std::string_view name) const;
  const std::string& default_model() const { return table_.default_model; }
  bool comes(std::string_view model) const;  // a replica of it starts or comes back
  std::vector<ServedModel> served() const;
  void said_full(GatewayReplica& replica, std::string_view retry_after);
  bool knows(std::string_view model) const;
  std::size_t number_of(std::string_view model);  // among the numbers; 0: nobody lists it
  std::string metrics(bool open_metrics);
  std::unique_ptr<TcpSocket> take_pooled(GatewayReplica& replica);  // null: none is idle
  void give_pooled(GatewayReplica& replica, std::unique_ptr<TcpSocket> socket);
  void failed(GatewayReplica& replica);
  void flight_ended(const GatewayReplica& replica);  // after its counters went back
  std::unique_ptr<char[]> take_buffer();             // of kPieceBytes
  void give_buffer(std::unique_ptr<char[]> buffer);
  void forget(ClientSession* session);
  bool draining() const { return draining_; }
  GatewayClock::time_point now() const { return now_; }  // as of the last look at deadlines

  boost::asio::io_context& loop;
  RelayLimits limits;
  GatewayCounters counters;
  Books books;
  Routing routing;
  WaitingRoom waiting;
  std::function<void(const Error&)> trouble;  // for whoever looks after the gateway
  std::function<void()> changed;              // something that the daemon waits for

 private:
  void look_at(std::string_view model, const Tried& tried);  // fills candidates_
  void accept();
  void admit(TcpSocket client);
  void tick();
  void end_if_drained();
  void take_times(const RouteTimes& times);

  TcpAcceptor acceptor_;
  boost::asio::steady_timer tick_, pause_;
  RouteTable table_;
  std::vector<std::shared_ptr<GatewayReplica>> replicas_;
  std::unordered_set<ClientSession*> sessions_;
  std::vector<std::unique_ptr<char[]>> buffers_;
  std::vector<RouteCandidate> candidates_;  // kept for its room
  bool accepting_ = false, draining_ = false;
  GatewayClock::time_point now_, cut_at_, looked_;
  std::function<void()> drained_;
};

}  // namespace sx
