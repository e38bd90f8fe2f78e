// One turn: what epoll tells, what was put off, what Asio has to do. What it is worth beside Asio's
// sockets stands in docs/GATEWAY.md; `./dev bench gateway` measures it.
#include "gateway/socket_loop.h"

#include <boost/asio/error.hpp>
#include <utility>

#include "base/check.h"
#include "gateway/asio_poll.h"

namespace sx {
namespace {

namespace asio = boost::asio;

constexpr int kMostTries = 4;      // of one connection in one turn, without a wait: some 64 KiB
constexpr int kMostHandlers = 64;  // of Asio in one turn

constexpr std::uint32_t kEnds = EPOLLRDHUP | EPOLLHUP | EPOLLERR;

void finish(SocketWait*& waiting, LoopError error) {
  SocketWait* const done = std::exchange(waiting, nullptr);
  if (done == nullptr) return;
  done->error = error;
  done->bytes = 0;
  done->waits.resume();
}

void go_on(SocketState& state, SocketWait*& waiting) {
  if (waiting != nullptr && state.try_now(*waiting))
    std::exchange(waiting, nullptr)->waits.resume();
}

}  // namespace

SocketLoop::SocketLoop(asio::io_context& asio)
    : asio_(asio), poll_(::epoll_create1(EPOLL_CLOEXEC)) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = nullptr;  // none of ours
  const int theirs = asio_poll_descriptor(asio);
  const bool added = ::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, theirs, &event) == 0;
  SX_ASSERT(added);
}

void SocketLoop::run() {
  while (!asio_.stopped()) turn(-1);
}

void SocketLoop::turn(int wait_ms) {
  ++turn_;
  const bool busy = asio_due_ || !queue_.empty();
  wait(busy ? 0 : wait_ms);
  look_at_queued();
  std::erase_if(retired_, [](const auto& state) { return !state->queued; });
  if (asio_due_) let_asio_work();
}

void SocketLoop::wait(int wait_ms) {
  const int count =
      ::epoll_wait(poll_.get(), events_.data(), static_cast<int>(events_.size()), wait_ms);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events_[static_cast<std::size_t>(i)];
    if (event.data.ptr == nullptr) {
      asio_due_ = true;
      continue;
    }
    // Its owner may have gone within this turn; the state stays until the turn's end.
    auto& state = *static_cast<SocketState*>(event.data.ptr);
    if ((event.events & (kEnds | EPOLLPRI)) != 0) state.look_again = true;
    if ((event.events & (EPOLLIN | kEnds)) != 0) state.readable = true;
    if ((event.events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) state.writable = true;
    look(state);
  }
}

// Whoever goes on may close the connection and retire its state, or wait anew: each is asked for
// again after the one before.
void SocketLoop::look(SocketState& state) {
  if (std::exchange(state.aborted, false)) {
    finish(state.reader, asio::error::operation_aborted);
    finish(state.writer, asio::error::operation_aborted);
    return;
  }
  if (!state.fd.open()) return;
  if (state.readable && state.watcher != nullptr) std::exchange(state.watcher, nullptr)->may_read();
  if (state.readable) go_on(state, state.reader);
  if (state.writable) go_on(state, state.writer);
}

// Those that are put off meanwhile have their turn after the next edges.
void SocketLoop::look_at_queued() {
  queue_.swap(looked_at_);
  for (SocketState* state : looked_at_) {
    state->queued = false;
    look(*state);
  }
  looked_at_.clear();
}

void SocketLoop::let_asio_work() {
  int count = 0;
  while (count < kMostHandlers && asio_.poll_one() > 0) ++count;
  asio_due_ = count == kMostHandlers;
}

LoopError SocketLoop::add(SocketState& state) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLPRI | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = &state;
  if (::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, state.fd.get(), &event) != 0) return last_error();
  return {};
}

// Taken out by name: a descriptor that another process has too would stay in the set.
void SocketLoop::close(SocketState& state) {
  if (state.fd.open()) {
    if (state.tls) state.tls->say_end();
    ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, state.fd.get(), nullptr);
  }
  state.tls.reset();
  state.fd.reset();
  state.watcher = nullptr;
  if (state.reader == nullptr && state.writer == nullptr) return;
  state.aborted = true;
  later(state);
}

void SocketLoop::later(SocketState& state) {
  if (!std::exchange(state.queued, true)) queue_.push_back(&state);
}

void SocketLoop::retire(std::unique_ptr<SocketState> state) {
  close(*state);
  retired_.push_back(std::move(state));
}

bool SocketLoop::may_try(SocketState& state) const {
  if (state.turn != turn_) {
    state.turn = turn_;
    state.tries = 0;
  }
  return ++state.tries <= kMostTries;
}

}  // namespace sx
