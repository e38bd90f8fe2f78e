// The listening socket of the relay. Whether clients wait is told by edges; each is taken when its
// owner has room for it.
#pragma once

#include <functional>
#include <memory>

#include "gateway/socket_loop.h"

namespace sx {

// What one error of accept4() says of those that wait.
enum class AcceptTrouble {
  Nobody,    // nobody waits any more
  OfClient,  // this one is gone, or may not come; the next one may wait behind it
  Ours,      // this process or the machine lacks something, or what it is we do not know
};
AcceptTrouble accept_trouble(int error);

class LoopAcceptor final : SocketWatcher {
 public:
  using Accept = int (*)(int listening);  // a descriptor, or -1 and errno
  // `waits` is called in a turn of the loop when a client may wait.
  LoopAcceptor(SocketLoop& loop, UniqueFd listening, std::function<void()> waits,
               Accept accept = accept_one);
  LoopAcceptor(const LoopAcceptor&) = delete;
  LoopAcceptor& operator=(const LoopAcceptor&) = delete;
  ~LoopAcceptor();

  bool is_open() const { return state_->fd.open(); }
  int descriptor() const { return state_->fd.get(); }
  void close() { loop_.close(*state_); }

  struct Taken {
    UniqueFd client;     // none: nobody waits any more, or
    bool later = false;  // somebody may wait who cannot be taken now: no edge will tell of it
  };
  Taken take();
  void watch();  // once: `waits` is called for those that wait now or come

 private:
  static int accept_one(int listening);
  void may_read() override { waits_(); }

  SocketLoop& loop_;
  std::unique_ptr<SocketState> state_;
  std::function<void()> waits_;
  Accept accept_;
};

}  // namespace sx
