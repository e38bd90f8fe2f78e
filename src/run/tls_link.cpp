// A piece each way at a time. Each direction waits for itself: a client that does not read what it
// asked for can still send, and the other way round.
#include "run/tls_link.h"

#include <sys/socket.h>

#include <array>
#include <boost/asio/post.hpp>
#include <cerrno>

namespace sx {
namespace {

using boost::system::error_code;
using Base = boost::asio::posix::descriptor_base;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kPiece = std::size_t{16} << 10U;  // as much as a record of TLS holds
constexpr int kPairBytes = 16 << 10;                    // that wait within the pair
constexpr int kPieces = 4;  // in one turn, so that a fast one does not hold up the others

// For what has been read and not yet given on: nobody keeps anything in it.
std::array<char, kPiece>& scratch() {
  thread_local std::array<char, kPiece> bytes;
  return bytes;
}

bool not_now() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

TlsLink::TlsLink(boost::asio::io_context& loop, TlsLinkAsk ask)
    : ask_(std::move(ask)),
      outer_(loop.get_executor()),
      inner_(loop.get_executor()),
      timer_(loop) {}

void TlsLink::begin() {
  error_code error;
  outer_.assign(ask_.outer.get(), error);
  if (error) return end();
  [[maybe_unused]] const int owned = ask_.outer.release();
  limit(ask_.limits.handshake);
  shake_hands();
}

void TlsLink::end() {
  if (std::exchange(ended_, true)) return;
  const auto self = shared_from_this();
  error_code ignored;
  timer_.cancel();
  outer_.close(ignored);
  inner_.close(ignored);
  opened = {};
  handed_over = {};
  if (const auto told = std::exchange(ended, {})) told(*this);
}

void TlsLink::shake_hands() {
  switch (const Step step = ask_.session.shake_hands()) {
    case Step::Done:
      no_limit();
      if (handed_over) return hand_over();
      if (!make_pair()) return end();
      in();
      return out();
    case Step::WantsRead:
    case Step::WantsWrite:
      return wait_for(step, &TlsLink::shake_hands);
    case Step::Plain:
      return answer_plain();
    case Step::Ended:
    case Step::Broken:
      return end();
  }
}

void TlsLink::hand_over() {
  UniqueFd outer(outer_.release());
  const auto told = std::exchange(handed_over, {});
  told(std::move(outer), std::move(ask_.session));
  end();
}

bool TlsLink::make_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
    return false;
  UniqueFd ours(ends[0]), theirs(ends[1]);
  for (const int one : ends)
    ::setsockopt(one, SOL_SOCKET, SO_SNDBUF, &kPairBytes, sizeof kPairBytes);
  error_code error;
  inner_.assign(ours.get(), error);
  if (error) return false;
  [[maybe_unused]] const int owned = ours.release();
  if (const auto told = std::exchange(opened, {})) told(std::move(theirs));
  return !ended_;
}

// From outside to inside.
void TlsLink::in() {
  for (int pieces = 0; pieces < kPieces && !ended_; ++pieces) {
    if (!in_rest_.empty()) {
      if (!give_inside(std::exchange(in_rest_, {}))) return;
      continue;
    }
    const auto got = ask_.session.read(scratch().data(), kPiece);
    switch (got.step) {
      case Step::Done:
        if (!give_inside({scratch().data(), got.bytes})) return;
        break;
      case Step::WantsRead:
      case Step::WantsWrite:
        return wait_for(got.step, &TlsLink::in);
      case Step::Ended:
        return in_ends();
      case Step::Plain:
      case Step::Broken:
        return end();
    }
  }
  turn(&TlsLink::in);
}

// False: it waits until there is room.
bool TlsLink::give_inside(std::string_view bytes) {
  while (!bytes.empty() && !unheard_) {
    const ssize_t count =
        ::send(inner_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (not_now()) {
      in_rest_ = bytes;
      wait(inner_, Base::wait_write, &TlsLink::in);
      return false;
    } else if (errno != EINTR) {
      unheard_ = true;  // it is read on and dropped, so that what was answered still arrives
    }
  }
  return true;
}

void TlsLink::in_ends() {
  in_ended_ = true;
  if (out_ended_) return end();
  ::shutdown(inner_.native_handle(), SHUT_WR);
}

// From inside to outside.
void TlsLink::out() {
  for (int pieces = 0; pieces < kPieces && !ended_; ++pieces) {
    std::string_view bytes = out_rest_;
    if (bytes.empty()) {
      const ssize_t count = ::recv(inner_.native_handle(), scratch().data(), kPiece, MSG_DONTWAIT);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && not_now()) return wait(inner_, Base::wait_read, &TlsLink::out);
      if (count <= 0) return say_goodbye();
      bytes = {scratch().data(), static_cast<std::size_t>(count)};
    }
    const auto put = ask_.session.write(bytes);
    const bool waits = put.step == Step::WantsRead || put.step == Step::WantsWrite;
    if (put.step != Step::Done && !waits) return end();
    out_rest_ = std::string(bytes.substr(put.bytes));
    if (waits) {
      limit(ask_.limits.unread);
      return wait_for(put.step, &TlsLink::out);
    }
    no_limit();
  }
  turn(&TlsLink::out);
}

// Everything from inside has been written. What still comes is read for a while: a socket that is
// closed with unread bytes in it takes the answer along.
void TlsLink::say_goodbye() {
  if (!std::exchange(out_ended_, true)) limit(ask_.limits.goodbye);
  const Step step = ask_.session.say_end();
  if (step == Step::WantsRead || step == Step::WantsWrite)
    return wait_for(step, &TlsLink::say_goodbye);
  ::shutdown(outer_.native_handle(), SHUT_WR);
  if (in_ended_ || step != Step::Done) end();
}

void TlsLink::answer_plain() {
  const std::string& answer = ask_.plain_answer;
  limit(ask_.limits.goodbye);
  const ssize_t sent =
      ::send(outer_.native_handle(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (answer.empty() || sent < 0) return end();
  ::shutdown(outer_.native_handle(), SHUT_WR);
  drop();
}

void TlsLink::drop() {
  const ssize_t count = ::recv(outer_.native_handle(), scratch().data(), kPiece, MSG_DONTWAIT);
  if (count == 0 || (count < 0 && !not_now() && errno != EINTR)) return end();
  wait(outer_, Base::wait_read, &TlsLink::drop);
}

void TlsLink::wait(Descriptor& on, Base::wait_type what, Next next) {
  on.async_wait(what, [self = shared_from_this(), next](error_code error) {
    if (self->ended_) return;
    if (error) return self->end();
    ((*self).*next)();
  });
}

void TlsLink::wait_for(Step step, Next next) {
  wait(outer_, step == Step::WantsWrite ? Base::wait_write : Base::wait_read, next);
}

void TlsLink::turn(Next next) {
  boost::asio::post(outer_.get_executor(), [self = shared_from_this(), next] {
    if (!self->ended_) ((*self).*next)();
  });
}

void TlsLink::limit(std::chrono::seconds most) {
  deadline_ = Clock::now() + most;
  timer_.expires_at(deadline_);
  timer_.async_wait([self = shared_from_this()](error_code error) {
    // It may have been lifted after this was on its way.
    if (!error && Clock::now() >= self->deadline_) self->end();
  });
}

void TlsLink::no_limit() {
  if (deadline_ == Clock::time_point::max()) return;
  deadline_ = Clock::time_point::max();
  timer_.cancel();
}

}  // namespace sx
