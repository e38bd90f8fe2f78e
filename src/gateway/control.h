// The gateway's side of gateway.sock: hears routes, gives the listening socket back, tells counts.
#pragma once

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <unordered_set>

#include "gateway/explain.h"
#include "gateway/relay.h"

namespace sx {

// What one line asks for.
struct ControlAsk {
  enum class Kind { Routes, Loads, States, Listener, Explain, Stop, Unknown } kind = Kind::Unknown;
  RouteTable routes;
  std::vector<EngineLoad> loads;
  std::vector<ToldState> states;
  RouteQuestion question;
  std::chrono::seconds grace{0};
};
// At most a day of grace. Damaged: no such line.
Result<ControlAsk> read_control(std::string_view line);

class GatewayControl {
 public:
  // `socket`: from listen_local().
  GatewayControl(Relay& relay, UniqueFd socket);
  ~GatewayControl();
  GatewayControl(const GatewayControl&) = delete;
  GatewayControl& operator=(const GatewayControl&) = delete;

  void tell();   // the counts, to all
  void close();  // nobody new may come
  std::function<void(std::chrono::seconds grace)> stop;

 private:
  class Peer;
  void wait();
  void accept();
  void tick();
  void take(Peer& peer, std::string_view line);
  void forget(Peer& peer);
  std::string counts() const;

  Relay& relay_;
  UniqueFd socket_;
  boost::asio::posix::stream_descriptor waits_;
  boost::asio::steady_timer tick_;
  std::unordered_set<Peer*> peers_;
  const Peer* told_states_ = nullptr;  // whose word the states are; they go with it
};

}  // namespace sx
