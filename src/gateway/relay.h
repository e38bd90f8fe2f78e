// The relay: takes clients in, knows the replicas, looks at every deadline. Sessions do the rest.
#pragma once

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <limits>
#include <optional>

#include "base/unique_fd.h"
#include "gateway/books.h"
#include "gateway/limits.h"
#include "gateway/loop_acceptor.h"
#include "gateway/models_page.h"
#include "gateway/replica.h"
#include "gateway/routes.h"
#include "gateway/routing.h"
#include "gateway/session_list.h"
#include "gateway/told_states.h"
#include "gateway/waiting.h"
#include "sys/tls.h"

namespace sx {

class ClientSession;
class TlsDoor;

class Relay {
 public:
  Relay(boost::asio::io_context& loop, RelayLimits limits);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  // `listener` is a listening TCP socket.
  Result<void> listen(UniqueFd listener);
  int listener() const { return acceptor_ ? acceptor_->descriptor() : -1; }
  void run() { sockets.run(); }  // until Asio's loop is stopped

  int port();  // it listens on; 0: none

  // From now on clients speak TLS. Refused: the files cannot be used; until they can be, whoever
  // comes is turned away.
  Result<void> encrypt(const TlsFiles& files);
  TlsDoor* door() { return door_.get(); }  // null: plain

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
  bool comes(std::string_view model) const;          // a replica of it starts or comes back
  bool restarts() const { return table_.restarts; }  // replicas that end are started again
  // They are, and one of that model is still listed as it was.
  bool may_be_restarted(std::string_view model) const;
  // Of a model that nobody serves: the name of what its replicas failed of; empty: not known.
  std::string_view cause_of(std::string_view model) const;
  std::vector<ServedModel> served() const;
  void said_full(GatewayReplica& replica, std::string_view retry_after);
  bool knows(std::string_view model) const;
  std::size_t number_of(std::string_view model);  // among the numbers; 0: nobody lists it
  std::string metrics(bool open_metrics);
  std::unique_ptr<LoopSocket> take_pooled(GatewayReplica& replica);  // null: none is idle
  void give_pooled(GatewayReplica& replica, std::unique_ptr<LoopSocket> socket);
  void failed(GatewayReplica& replica);
  void flight_ended(const GatewayReplica& replica);  // after its counters went back
  std::unique_ptr<char[]> take_buffer();             // of kPieceBytes
  void give_buffer(std::unique_ptr<char[]> buffer);
  void forget(ClientSession& session);
  // Something about it has changed that its next look at the time depends on.
  void look_soon(const ClientSession& session) { sessions_.due_now(session); }
  bool draining() const { return draining_; }
  GatewayClock::time_point now() const { return now_; }  // as of the last look at deadlines

  boost::asio::io_context& loop;
  SocketLoop sockets;  // of clients and of replicas
  RelayLimits limits;
  GatewayCounters counters;
  Books books;
  Routing routing;
  WaitingRoom waiting;
  std::vector<ToldState> states;  // of replicas, as the daemon says; empty: nobody tells
  std::function<void(const Error&)> trouble;  // for whoever looks after the gateway
  std::function<void()> changed;              // something that the daemon waits for

 private:
  void look_at(std::string_view model, const Tried& tried);  // fills candidates_
  void accept();
  void accept_those_that_wait();
  void take_in(UniqueFd client);
  void admit(LoopSocket client);
  std::size_t connections() const;
  bool has_room() const { return connections() < std::min(limits.sessions, fitting_); }
  void count_descriptors();
  void tick();
  void end_if_drained();
  void take_times(const RouteTimes& times);

  std::optional<LoopAcceptor> acceptor_;
  boost::asio::steady_timer tick_, pause_;
  RouteTable table_;
  std::vector<std::shared_ptr<GatewayReplica>> replicas_;
  SessionList sessions_;
  std::vector<std::unique_ptr<char[]>> buffers_;
  std::vector<RouteCandidate> candidates_;  // kept for its room
  std::unique_ptr<TlsDoor> door_;           // TLS in front
  // Connections for which there are descriptors, with those that their requests need.
  std::size_t fitting_ = std::numeric_limits<std::size_t>::max();
  const RelayLimits usual_;  // where a table says nothing
  bool draining_ = false;
  GatewayClock::time_point now_, cut_at_, looked_;
  std::function<void()> drained_;
};

}  // namespace sx
