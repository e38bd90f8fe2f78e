// What is known without a call of the system is not asked for.
#include "gateway/loop_socket.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/error.hpp>
#include <cerrno>

namespace sx {
namespace {

namespace asio = boost::asio;

// Events of a stream are small and must not wait for the acknowledgement of the one before. What is
// no TCP does not know the option and does not need it.
void no_delay(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

LoopSocket::LoopSocket(SocketLoop& loop) : loop_(&loop), state_(std::make_unique<SocketState>()) {}

LoopSocket::LoopSocket(SocketLoop& loop, UniqueFd opened, std::unique_ptr<TlsStream> tls)
    : LoopSocket(loop) {
  state_->fd = std::move(opened);
  state_->tls = std::move(tls);
  state_->readable = state_->tls != nullptr;  // of what came with the handshake no edge will tell
  no_delay(state_->fd.get());
  if (loop.add(*state_)) state_->fd.reset();
}

LoopSocket::~LoopSocket() {
  if (state_) loop_->retire(std::move(state_));
}

LoopSocket::Endpoint LoopSocket::remote_endpoint(LoopError& error) const {
  Endpoint place;
  auto size = static_cast<socklen_t>(place.capacity());
  error = {};
  if (::getpeername(state_->fd.get(), place.data(), &size) != 0) {
    error = last_error();
    return {};
  }
  const int family = place.data()->sa_family;
  if (family != AF_INET && family != AF_INET6) {
    error = asio::error::operation_not_supported;
    return {};
  }
  place.resize(size);
  return place;
}

void LoopSocket::shutdown_send() {
  if (state_->tls) state_->tls->say_end();
  ::shutdown(state_->fd.get(), SHUT_WR);
}

void LoopSocket::cancel() {
  if (state_->reader == nullptr && state_->writer == nullptr) return;
  state_->aborted = true;
  loop_->later(*state_);
}

void LoopSocket::close() { loop_->close(*state_); }

void LoopSocket::cut() {
  state_->tls.reset();
  close();
}

bool LoopSocket::usable() const {
  if (!is_open() || quiet()) return is_open();
  char byte = 0;
  const ssize_t count = ::recv(state_->fd.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

SocketWait LoopSocket::reading(asio::mutable_buffer to) {
  SocketWait wait;
  wait.parts[0] = {to.data(), to.size()};
  wait.part_count = 1;
  return wait;
}

std::size_t LoopSocket::read_now(asio::mutable_buffer to, LoopError& error) {
  SocketWait wait = reading(to);
  state_->try_now(wait);
  error = wait.error;
  return wait.bytes;
}

LoopSocket::Transfer LoopSocket::connect(const Endpoint& to) {
  SocketWait wait{.kind = SocketWait::Kind::Connect};
  constexpr int kFlags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  state_->fd = UniqueFd(::socket(to.protocol().family(), kFlags, 0));
  const int fd = state_->fd.get();
  if (fd < 0) {
    wait.error = last_error();
  } else {
    no_delay(fd);
    const int connected = ::connect(fd, to.data(), static_cast<socklen_t>(to.size()));
    if (connected != 0) wait.error = last_error();
    if (!wait.error || wait.error == asio::error::in_progress) {
      if (const LoopError added = loop_->add(*state_)) wait.error = added;
    }
  }
  return {*state_, *loop_, wait};
}

LoopSocket::Transfer::~Transfer() {
  if (state_.reader == &wait_) state_.reader = nullptr;
  if (state_.writer == &wait_) state_.writer = nullptr;
}

// True: it is done without a wait.
bool LoopSocket::Transfer::await_ready() {
  const bool in_progress = wait_.error == asio::error::in_progress;
  if (wait_.kind == SocketWait::Kind::Connect) return !in_progress;
  if (!state_.fd.open()) return state_.try_now(wait_);
  const bool may = wait_.kind == SocketWait::Kind::Read ? state_.readable : state_.writable;
  return may && !state_.aborted && loop_.may_try(state_) && state_.try_now(wait_);
}

void LoopSocket::Transfer::await_suspend(std::coroutine_handle<> waits) {
  wait_.waits = waits;
  const bool reads = wait_.kind == SocketWait::Kind::Read;
  (reads ? state_.reader : state_.writer) = &wait_;
  if (state_.aborted || (reads ? state_.readable : state_.writable)) loop_.later(state_);
}

void LoopSocket::watch(SocketWatcher* watcher) {
  state_->watcher = watcher;
  if (watcher != nullptr && state_->readable) loop_->later(*state_);
}

}  // namespace sx
