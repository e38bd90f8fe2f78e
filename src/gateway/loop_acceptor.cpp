// Another process may listen on the same socket: whoever is told first may find nobody.
#include "gateway/loop_acceptor.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>

namespace sx {

LoopAcceptor::LoopAcceptor(SocketLoop& loop, UniqueFd listening, std::function<void()> waits)
    : loop_(loop), state_(std::make_unique<SocketState>()), waits_(std::move(waits)) {
  state_->fd = std::move(listening);
  const int fd = state_->fd.get();
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  if (loop.add(*state_)) state_->fd.reset();
}

LoopAcceptor::~LoopAcceptor() { loop_.retire(std::move(state_)); }

LoopAcceptor::Taken LoopAcceptor::take() {
  while (true) {
    Taken taken;
    taken.client =
        UniqueFd(::accept4(state_->fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (taken.client.open()) return taken;
    if (errno == EINTR || errno == ECONNABORTED) continue;
    taken.no_descriptor = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    if (!taken.no_descriptor) state_->readable = false;
    return taken;
  }
}

void LoopAcceptor::watch() {
  state_->watcher = this;
  if (state_->readable) loop_.later(*state_);
}

}  // namespace sx
