// The loop of the relay's thread: tells connections when they may go on. Asio's sockets try to read
// again after every read, which fails each time, and were half of all reads of a stream. Here a
// connection is added to epoll once, for edges alone, and is read again only when an edge came or
// the last read filled its buffer. Asio stays for what is rare (timers, signals, the daemon's
// socket): this loop waits for Asio's own descriptor too and lets it work when there is something.
// What that saves stands in docs/GATEWAY.md.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <vector>

#include "gateway/socket_state.h"

namespace sx {

class SocketLoop {
 public:
  explicit SocketLoop(boost::asio::io_context& asio);
  SocketLoop(const SocketLoop&) = delete;
  SocketLoop& operator=(const SocketLoop&) = delete;

  void run();  // until Asio's is stopped
  // Waits so long for something (-1: as long as it takes) and does it, a bounded step for each.
  void turn(int wait_ms);
  // Something was posted to Asio from here: without a word it waits for Asio's next event, which is
  // the relay's tick at the latest.
  void ask_asio() { asio_due_ = true; }

  // For sockets.
  LoopError add(SocketState& state);
  void close(SocketState& state);                   // whoever waits is told in a later turn
  void later(SocketState& state);                   // it has a turn soon, without an edge
  void retire(std::unique_ptr<SocketState> state);  // stays until nothing can point to it
  // Whether it may be tried without a wait: a connection that always has something must not keep
  // the others waiting.
  bool may_try(SocketState& state) const;

 private:
  void wait(int wait_ms);
  void look(SocketState& state);
  void look_at_queued();
  void let_asio_work();

  boost::asio::io_context& asio_;
  UniqueFd poll_;
  std::array<epoll_event, 256> events_{};        // of one turn
  std::vector<SocketState*> queue_, looked_at_;  // the second for its room
  std::vector<std::unique_ptr<SocketState>> retired_;
  std::uint64_t turn_ = 0;
  bool asio_due_ = true;  // it has an event, or was given something
};

}  // namespace sx
