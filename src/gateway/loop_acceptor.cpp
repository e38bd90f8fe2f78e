// Another process may listen on the same socket: whoever is told first may find nobody. An edge is
// told once: whoever cannot be taken must be tried again by ourselves, or waits for the next
// client.
#include "gateway/loop_acceptor.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>

namespace sx {

namespace {

// In one call: a flood of clients that go again must not hold the streams.
constexpr int kMostGone = 16;

}  // namespace

AcceptTrouble accept_trouble(int error) {
  switch (error) {
    case EAGAIN:
      return AcceptTrouble::Nobody;
    case EINTR:
    case ECONNABORTED:
    case EPERM:  // a firewall's rule forbids this one
    // Linux hands over what has happened to the connection since (accept(2)).
    case EPROTO:
    case ENETDOWN:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case EOPNOTSUPP:
    case ENETUNREACH:
    case ETIMEDOUT:
    case ECONNRESET:
      return AcceptTrouble::OfClient;
    default:  // descriptors, memory; others are tried again as those are, never lost
      return AcceptTrouble::Ours;
  }
}

LoopAcceptor::LoopAcceptor(SocketLoop& loop, UniqueFd listening, std::function<void()> waits,
                           Accept accept)
    : loop_(loop),
      state_(std::make_unique<SocketState>()),
      waits_(std::move(waits)),
      accept_(accept) {
  state_->fd = std::move(listening);
  const int fd = state_->fd.get();
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  if (loop.add(*state_)) state_->fd.reset();
}

LoopAcceptor::~LoopAcceptor() { loop_.retire(std::move(state_)); }

int LoopAcceptor::accept_one(int listening) {
  return ::accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

LoopAcceptor::Taken LoopAcceptor::take() {
  for (int gone = 0; gone < kMostGone; ++gone) {
    UniqueFd client(accept_(state_->fd.get()));
    if (client.open()) return {.client = std::move(client)};
    switch (accept_trouble(errno)) {
      case AcceptTrouble::Nobody:
        state_->readable = false;
        return {};
      case AcceptTrouble::Ours:
        return {.client = {}, .later = true};
      case AcceptTrouble::OfClient:
        break;
    }
  }
  return {.client = {}, .later = true};
}

void LoopAcceptor::watch() {
  state_->watcher = this;
  if (state_->readable) loop_.later(*state_);
}

}  // namespace sx
