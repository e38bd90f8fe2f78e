// The relay: takes clients in, knows the replicas, looks at every deadline. Sessions do the rest.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <unordered_set>

#include "base/unique_fd.h"
#include "gateway/limits.h"
#include "gateway/replica.h"
#include "gateway/routes.h"

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
  };
  Chosen choose_replica(std::string_view model,
                        const std::vector<std::shared_ptr<GatewayReplica>>& tried);
  bool knows(std::string_view model) const;
  std::optional<TcpSocket> take_pooled(GatewayReplica& replica);
  void give_pooled(GatewayReplica& replica, TcpSocket socket);
  void failed(GatewayReplica& replica);
  void flight_ended(const GatewayReplica& replica);  // after its counters went back
  std::unique_ptr<char[]> take_buffer();             // of kPieceBytes
  void give_buffer(std::unique_ptr<char[]> buffer);
  void forget(ClientSession* session);
  bool draining() const { return draining_; }
  GatewayClock::time_point now() const { return now_; }  // as of the last look at deadlines

  boost::asio::io_context& loop;
  const RelayLimits limits;
  GatewayCounters counters;
  std::function<void()> changed;  // something that the daemon waits for

 private:
  void accept();
  void admit(TcpSocket client);
  void tick();
  void end_if_drained();

  TcpAcceptor acceptor_;
  boost::asio::steady_timer tick_, pause_;
  RouteTable table_;
  std::vector<std::shared_ptr<GatewayReplica>> replicas_;
  std::unordered_set<ClientSession*> sessions_;
  std::vector<std::unique_ptr<char[]>> buffers_;
  std::vector<RouteCandidate> candidates_;  // kept for its room
  std::size_t turn_ = 0;
  bool accepting_ = false, draining_ = false;
  GatewayClock::time_point now_, cut_at_;
  std::function<void()> drained_;
};

}  // namespace sx
