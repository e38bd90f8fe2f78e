// The listening socket of the relay. Whether clients wait is told by edges; each is taken when its
// owner has room for it.
#pragma once

#include <functional>
#include <memory>

#include "gateway/socket_loop.h"

namespace sx {

class LoopAcceptor final : SocketWatcher {
 public:
  // `waits` is called in a turn of the loop when a client may wait.
  LoopAcceptor(SocketLoop& loop, UniqueFd listening, std::function<void()> waits);
  LoopAcceptor(const LoopAcceptor&) = delete;
  LoopAcceptor& operator=(const LoopAcceptor&) = delete;
  ~LoopAcceptor();

  bool is_open() const { return state_->fd.open(); }
  int descriptor() const { return state_->fd.get(); }
  void close() { loop_.close(*state_); }

  struct Taken {
    UniqueFd client;             // none: nobody waits any more
    bool no_descriptor = false;  // somebody waits, and this process has no descriptor for it
  };
  Taken take();
  void watch();  // once: `waits` is called for those that wait now or come

 private:
  void may_read() override { waits_(); }

  SocketLoop& loop_;
  std::unique_ptr<SocketState> state_;
  std::function<void()> waits_;
};

}  // namespace sx
